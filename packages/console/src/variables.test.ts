import { expect, test } from "vitest"
import { consoleVariables } from "./variables.ts"

test("every variable says what it is for, and those that hold secrets say so", () => {
  const secret: string[] = []
  for (const [name, schema] of Object.entries(consoleVariables)) {
    const meta = schema.meta()
    expect(meta?.description, name).toBeTruthy()
    if (meta?.secret) secret.push(name)
  }
  expect(secret.toSorted()).toEqual(["DATABASE_URL", "KAFKA_PASSWORD", "SEALING_KEYS"])
})

test("the gateway's origin is taken with or without its last slash, and not with a path", () => {
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
