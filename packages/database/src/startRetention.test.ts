import { Writable } from "node:stream"
import { createLogger } from "@sitewire/runtime"
import { expect, onTestFinished, test } from "vitest"
import type { Pool, Sql } from "./pool.ts"
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
  const at = () => new Date(Date.now() + differenceMs)
  const sql = (async (text: string) => (text.includes("days") ? [] : [{ now: at() }])) as Sql
  const retention = await startRetention({
    pool: { sql } as Pool,
    retentionMs,
    async deleteBefore({ before }) {
      deleted.resolve(before)
      return { kind: "finished" }
    },
    log,
  })
  onTestFinished(retention.close)
  const latest = Date.now() + Math.min(0, differenceMs)
  const before = (await deleted.promise).getTime()
  expect(before).toBeGreaterThanOrEqual(latest - retentionMs)
  expect(before).toBeLessThan(latest + 10_000)
})
