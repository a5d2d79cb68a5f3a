import { spawn } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
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

const containerLimit = 16 * 1024

test.each<[string, object]>([
  ["an error with a long message and stack", { error: new Error("€".repeat(50_000)) }],
  ["a long text", { why: "\u0000".repeat(1_000_000) }],
  ["a long list", { list: Array.from({ length: 20_000 }, (_, item) => ({ item, of: "list" })) }],
  ["many fields", Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`field${at}`, at]))],
  ["long names", { ["n".repeat(20_000)]: 1 }],
  [
    "nested lists",
    { list: Array.from({ length: 50 }, () => Array.from({ length: 50 }, () => "x".repeat(50))) },
  ],
])("a line with %s is cut so that no container runtime splits it, and says so", (_, fields) => {
  const text = logged((log) => log.child({ first: 1 }).warn(fields, "long"))
  expect(Buffer.byteLength(text)).toBeLessThan(containerLimit)
  expect(Buffer.byteLength(text)).toBeGreaterThan(2_000)
  expect(JSON.parse(text)).toMatchObject({ level: "warn", service: "test", first: 1, msg: "long" })
  expect(text).toMatch(/… \(\d+ (characters|items|fields) were cut\)/)
})

test("a line that is not too long is left whole, and a cut leaves short fields and the start of a text whole", () => {
  const whole = "€".repeat(5_000)
  expect(JSON.parse(logged((log) => log.info({ whole }, "message")))).toMatchObject({ whole })
  const text = "😀".repeat(10_000)
  const line = JSON.parse(
    logged((log) => log.info({ delivery: "d".repeat(64), text, inner: { text } }, "long")),
  )
  expect(line.delivery).toBe("d".repeat(64))
  expect(line.text).toMatch(/^(😀)+… \(\d+ characters were cut\)$/u)
  expect(line.inner.text).toBe(line.text)
})

test("a process whose log cannot be written, because the disk is full, goes on", async () => {
  const script = `
    const { createLogger } = await import(${JSON.stringify(new URL("logger.ts", import.meta.url).href)})
    const log = createLogger({ service: "test", level: "info" })
    for (let line = 0; line < 1_000; line++) log.info({ text: "x".repeat(5_000) }, "line")
    console.error("goes on with", Math.round(process.memoryUsage().rss / 2 ** 20) < 200 ? "little memory" : "much memory")`
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", openSync("/dev/full", "w"), "pipe"],
  })
  let errors = ""
  child.stderr?.on("data", (data) => {
    errors += data
  })
  expect(await once(child, "close")).toEqual([0, null])
  expect(errors).toBe("goes on with little memory\n")
})
