import { openPool } from "@sitewire/database"
import { watchDependency } from "@sitewire/runtime"
import { expect, test, vi } from "vitest"

test("a database that does not respond in time is reported before the driver fails, and again when it responds", async () => {
  const pool = openPool({ url: process.env.DATABASE_URL ?? "", size: 1, name: "watch" })
  const reports: [boolean, string | undefined][] = []
  let seconds = 0
  const watch = watchDependency({
    check: () => pool.sql(`select 1, pg_sleep(${seconds})`),
    onState: (available, why) => reports.push([available, why]),
    everyMs: 50,
    timeoutMs: 500,
  })
  await vi.waitUntil(() => reports.length > 0)
  seconds = 1.5
  await vi.waitUntil(() => reports.at(-1)?.[0] === false, { timeout: 60_000 })
  seconds = 0
  await vi.waitUntil(() => reports.at(-1)?.[0] === true, { timeout: 60_000 })
  watch.stop()
  const unavailable = reports.filter(([available]) => !available)
  expect(unavailable).toEqual([[false, "no response within 500 ms"]])
  await pool.close()
})
