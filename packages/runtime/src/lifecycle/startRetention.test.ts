import { Writable } from "node:stream"
import { expect, onTestFinished, test } from "vitest"
import { createLogger } from "../logging/logger.ts"
import { startRetention } from "./startRetention.ts"

const dayMs = 86_400_000
const log = createLogger(
  { service: "test", level: "error" },
  new Writable({ write: (_, __, done) => done() }),
)

test.each([
  ["the machine's clock is ahead by 40 days", -40 * dayMs],
  ["the database's clock is ahead by 40 days", 40 * dayMs],
])("if %s, rows are deleted by the other clock", async (_, differenceMs) => {
  const retentionMs = 1_000
  const deleted = Promise.withResolvers<Date>()
  const retention = startRetention({
    retentionMs,
    databaseTime: async () => new Date(Date.now() + differenceMs),
    deleteBefore: async (before) => {
      deleted.resolve(before)
      return { kind: "finished", deleted: {} }
    },
    log,
  })
  onTestFinished(retention.close)
  const latest = Date.now() + Math.min(0, differenceMs)
  const before = (await deleted.promise).getTime()
  expect(before).toBeGreaterThanOrEqual(latest - retentionMs)
  expect(before).toBeLessThan(latest + 10_000)
})
