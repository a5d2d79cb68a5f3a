import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { addDailySyncs } from "../test/fixtures/dailySyncs.ts"
import { openTransaction } from "../test/fixtures/openTransaction.ts"
import { emptyDatabase } from "../test/fixtures/windows.ts"
import { deleteOldSyncs } from "./deleteOldSyncs.ts"

const dayMs = 86_400_000
const never = new AbortController().signal
const newest = new Date(new Date().setUTCHours(12, 0, 0, 0))
const daysAgo = (days: number) => new Date(newest.getTime() - days * dayMs)

test("syncs of days without a partition are deleted one by one, in several batches", async () => {
  const { sql, open } = await emptyDatabase()
  await addDailySyncs(sql, { connections: 7, days: 40, newest })
  const settings = { pool: open(), before: daysAgo(10), batch: 50, pauseMs: 0, signal: never }
  // The day of ten days ago has not ended ten days ago.
  expect(await deleteOldSyncs(settings)).toEqual({ kind: "finished", days: 0, syncs: 7 * 29 })
  const [left] = await sql("select count(*)::int as syncs, min(started_at) as oldest from sync_run")
  expect(left).toEqual({ syncs: 7 * 11, oldest: daysAgo(10) })
  expect(await deleteOldSyncs(settings)).toEqual({ kind: "finished", days: 0, syncs: 0 })
})

test("days that have ended are dropped with their syncs; one that is being read stays until the next time", async () => {
  const { url, sql, open } = await emptyDatabase()
  await sql("select make_days($1::date, $1::date + 20)", [daysAgo(20)])
  await addDailySyncs(sql, { connections: 2, days: 20, newest })
  const pool = open()
  const remove = () => deleteOldSyncs({ pool, before: daysAgo(10), batch: 50, pauseMs: 0, signal: never })
  const count = async () => (await sql("select from sync_run")).length
  const reader = await openTransaction(
    url,
    "select from sync_run where started_at < now() - interval '15 days'",
  )
  expect(await remove()).toEqual({ kind: "busy", days: 0, syncs: 0 })
  expect(await count()).toBe(40)
  await reader.rollback()
  expect(await remove()).toEqual({ kind: "finished", days: 10, syncs: 0 })
  expect(await count()).toBe(22)
})

test("only one scheduler deletes at a time, and its lock ends with its work", async () => {
  const { sql, open } = await emptyDatabase()
  await addDailySyncs(sql, { connections: 5, days: 20, newest })
  const before = daysAgo(10)
  const stop = new AbortController()
  const first = deleteOldSyncs({ pool: open(), before, batch: 5, pauseMs: 60_000, signal: stop.signal })
  const other = () => deleteOldSyncs({ pool: open(), before, batch: 1_000, pauseMs: 0, signal: never })
  await waitUntil("the first scheduler to pause", async () => {
    const pauses = await sql(
      `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'
         and query like '%delete from sync_run%'`,
    )
    return pauses.length === 1
  })
  expect(await other()).toEqual({ kind: "busy", days: 0, syncs: 0 })
  stop.abort()
  expect(await first).toEqual({ kind: "busy", days: 0, syncs: 5 })
  expect(await other()).toEqual({ kind: "finished", days: 0, syncs: 5 * 9 - 5 })
})
