import { expect, test } from "vitest"
import { consoleVariables } from "./config.ts"

test("every variable has a description, and those with secrets are marked secret", () => {
  const secret: string[] = []
  for (const [name, schema] of Object.entries(consoleVariables)) {
    const meta = schema.meta()
    expect(meta?.description, name).toBeTruthy()
    if (meta?.secret) secret.push(name)
  }
  expect(secret.toSorted()).toEqual([
    "DATABASE_URL",
    "KAFKA_KEY",
    "KAFKA_PASSWORD",
    "OIDC_CLIENT_SECRET",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
    "SEALING_KEYS",
    "SMTP_URL",
  ])
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

test("sessions are sent over https, or over http to a loopback address only", () => {
  for (const name of ["CONSOLE_ORIGIN", "OIDC_ISSUER"] as const) {
    const isValid = (text: string) => consoleVariables[name].safeParse(text).success
    for (const text of [
      "https://console.example",
      "http://127.0.0.1:8090",
      "http://localhost:1",
      "http://[::1]",
    ])
      expect(isValid(text), text).toBe(true)
    for (const text of ["http://console.example", "http://10.0.0.1", "http://127.0.0.1.evil.example"])
      expect(isValid(text), text).toBe(false)
  }
})

test("the mail server is an smtp or smtps URL, and addresses are addresses, and no message quotes them", () => {
  for (const text of ["smtp://mail.example", "smtps://u:p%40w@mail.example:465", "smtp://[::1]:25"])
    expect(consoleVariables.SMTP_URL.safeParse(text).success, text).toBe(true)
  for (const text of [
    "mail.example:25",
    "https://mail.example",
    "smtp://",
    "smtp://u:%@mail.example",
    "smtp://h?pool=true",
  ])
    expect(consoleVariables.SMTP_URL.safeParse(text).success, text).toBe(false)
  const read = (text: string | undefined) => consoleVariables.OPERATOR_EMAILS.safeParse(text)
  expect(read(undefined).data).toEqual([])
  expect(read("a@b.example, c@d.example").data).toEqual(["a@b.example", "c@d.example"])
  for (const text of ["a@b.example,c", "a@b.example\r\nBcc: c@d.example"]) {
    expect(read(text).success, text).toBe(false)
    expect(JSON.stringify(read(text).error?.issues.map(({ message }) => message))).not.toContain("b.example")
  }
})
