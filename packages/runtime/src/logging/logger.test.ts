import { expect, test } from "vitest"
import { createLogger } from "./logger.ts"

function logged(write: (log: ReturnType<typeof createLogger>) => void): string {
  let text = ""
  const append = (line: string) => {
    text += line
  }
  write(createLogger({ service: "test", level: "info" }, { write: append }))
  return text
}

test("secret fields are taken out at three levels, in lists and in what a child is bound to", () => {
  const text = logged((log) => {
    log.info({ token: "hidden", kept: 1, a: { email: "hidden", b: { secret: "hidden" } } }, "objects")
    log.info({ list: [{ password: "hidden", kept: 2 }] }, "lists")
    log.child({ signature: "hidden", kept: 3 }).child({ cookie: "hidden" }).info("children")
  })
  expect(text).not.toContain("hidden")
  expect(text.match(/\[redacted\]/g)).toHaveLength(6)
  for (const kept of [1, 2, 3]) expect(text).toContain(`"kept":${kept}`)
})

test("names count however they are cased and whatever stands before them", () => {
  const text = logged((log) =>
    log.info(
      {
        Authorization: "hidden",
        signingSecret: "hidden",
        DATABASE_URL: "hidden",
        "Set-Cookie": "hidden",
        values: 1,
      },
      "cased",
    ),
  )
  expect(text).not.toContain("hidden")
  expect(text).toContain('"values":1')
})

test("what is logged is left as it was", () => {
  const fields = { token: "t", inner: { secret: "s" }, list: [{ body: "b" }] }
  logged((log) => log.info(fields, "message"))
  expect(fields).toEqual({ token: "t", inner: { secret: "s" }, list: [{ body: "b" }] })
})

test("an error is written as its message, code and stack, without what a driver hangs on it", () => {
  const error = Object.assign(new Error("broken"), { code: "E1", query: "hidden" })
  const text = logged((log) => log.error({ error, at: new Date(0) }, "failed"))
  expect(JSON.parse(text)).toMatchObject({
    at: "1970-01-01T00:00:00.000Z",
    error: { message: "broken", code: "E1", stack: expect.stringContaining("logger.test.ts") },
  })
  expect(text).not.toContain("hidden")
})

test("an error is described wherever it stands", () => {
  const error = Object.assign(new Error("broken"), { detail: "Key (email)=(hidden)" })
  const text = logged((log) => {
    log.warn({ cause: error, errors: [{ reason: error }] }, "failed")
    log.error(error)
    log.child({ last: error }).info("bound")
  })
  expect(text).not.toContain("hidden")
  expect(text.match(/"message":"broken"/g)).toHaveLength(4)
})
