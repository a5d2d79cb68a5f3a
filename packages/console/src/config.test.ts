import { expect, test } from "vitest"
import { consoleVariables } from "./config.ts"

test("every variable has a description, and those with secrets are marked secret", () => {
  const secret: string[] = []
  for (const [name, schema] of Object.entries(consoleVariables)) {
    const meta = schema.meta()
    expect(meta?.description, name).toBeTruthy()
    if (meta?.secret) secret.push(name)
  }
  expect(secret.toSorted()).toEqual(["DATABASE_URL", "KAFKA_PASSWORD", "SEALING_KEYS"])
})

test("GATEWAY_ORIGIN may end with a slash, and must not have a path", () => {
  const read = (text: string) => consoleVariables.GATEWAY_ORIGIN.safeParse(text)
  expect(read("https://hooks.example").data).toBe("https://hooks.example")
  expect(read("http://127.0.0.1:8080/").data).toBe("http://127.0.0.1:8080")
  for (const text of [
    "https://hooks.example/path",
    "hooks.example",
    "ftp://hooks.example",
    "https://u:p@hooks.example",
  ]) {
    expect(read(text).success, text).toBe(false)
  }
})
