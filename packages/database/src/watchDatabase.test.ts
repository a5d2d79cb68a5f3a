import { expect, test, vi } from "vitest"
import { openPool } from "./pool.ts"
import { watchDatabase } from "./watchDatabase.ts"

test("a database that does not answer in time is told before the driver gives up, and again when it answers", async () => {
  const pool = openPool({ url: process.env.DATABASE_URL ?? "", size: 1, name: "watch" })
  const told: [boolean, string | undefined][] = []
  let seconds = 0
  const stop = watchDatabase({
    sql: (text) => pool.sql(`${text}, pg_sleep(${seconds})`),
    onState: (reachable, why) => told.push([reachable, why]),
    everyMs: 50,
    answerWithinMs: 500,
  })
  await vi.waitUntil(() => told.length > 0)
  seconds = 1.5
  await vi.waitUntil(() => told.at(-1)?.[0] === false, { timeout: 5_000 })
  seconds = 0
  await vi.waitUntil(() => told.at(-1)?.[0] === true, { timeout: 5_000 })
  stop()
  expect(told.filter(([reachable]) => !reachable)).toEqual([[false, "no answer within 500 ms"]])
  await pool.close()
})
