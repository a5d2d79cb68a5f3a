import { expect, test } from "vitest"
import { readLogEvents } from "./readLogEvents.ts"

const read = (source: string) => readLogEvents("file.ts", source)

test("level, message and fields are read, through variables, spreads and functions of the file", () => {
  const source = `
    const seen = { delivery: id, attempt }
    const level = done ? "debug" : "info"
    log[level]({ ...seen, ...describe(due), ms: Math.round(ms) }, "attempt made")
    parts.log.error({ error }, "failed")
    log.info("stopped")
    function describe(due) { if (due) return { event: due.id }; return {} }`
  expect(read(source)).toEqual([
    { levels: ["info", "debug"], message: "attempt made", fields: ["delivery", "attempt", "event", "ms"] },
    { levels: ["error"], message: "failed", fields: ["error"] },
    { levels: ["info"], message: "stopped", fields: [] },
  ])
})

test("a choice of two messages is two events", () => {
  const source = `log.warn({ channel }, state === "open" ? "opened" : "closed")`
  expect(read(source).map(({ message }) => message)).toEqual(["opened", "closed"])
})

test("what a repeated step logs is found where its text is", () => {
  const source = `repeatUntilClosed({ step, intervalMs, failed: "it is repeated", log })`
  expect(read(source)).toEqual([{ levels: ["warn"], message: "it is repeated", fields: ["error"] }])
})

test("a call whose fields or message are not in the file is an error that names the line", () => {
  expect(() => read(`\nlog.info(outcome, "done")`)).toThrow("file.ts:2: ")
  expect(() => read(`log.info({ error }, "failed: " + reason)`)).toThrow("file.ts:1: ")
})

test("only loggers count", () => {
  expect(read(`console.error("x"); span.error({ a }, "y"); Math.log(2)`)).toEqual([])
})
