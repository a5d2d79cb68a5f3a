import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { addDailyRuns } from "../../test/fixtures/dailyRuns.ts"
import { emptyDatabase } from "../../test/fixtures/windows.ts"
import { deleteOldRuns } from "./deleteOldRuns.ts"

const day = 86_400_000
const never = new AbortController().signal

test("runs older than the retention are deleted in several batches, except for each connection's newest", async () => {
  const { sql, open } = await emptyDatabase()
  await addDailyRuns(sql, 40, 0)
  await sql("update sync_run set started_at = started_at - interval '100 days' where connection_id = 'c40'")
  const before = new Date(Date.now() - 9.5 * day)
  const settings = { pool: open(), before, batch: 7, pauseMs: 0, signal: never }
  // c11 to c39 have 1 to 29 runs that are at least 10 days old. All 40 of c40 are old, and the newest stays.
  const old = (29 * 30) / 2 + 39
  expect(await deleteOldRuns(settings)).toEqual({ kind: "finished", runs: old })
  const [left] = await sql(
    `select count(*)::int as runs, count(distinct connection_id)::int as connections,
       count(*) filter (where started_at < $1)::int as old from sync_run`,
    [before],
  )
  expect(left).toEqual({ runs: (40 * 41) / 2 - old, connections: 40, old: 1 })
  expect(await deleteOldRuns(settings)).toEqual({ kind: "finished", runs: 0 })
})

test("only one scheduler deletes at a time, and its lock ends with its work", async () => {
  const { sql, open } = await emptyDatabase()
  await addDailyRuns(sql, 20, 50)
  const before = new Date()
  const stop = new AbortController()
  const first = deleteOldRuns({ pool: open(), before, batch: 5, pauseMs: 60_000, signal: stop.signal })
  const other = () => deleteOldRuns({ pool: open(), before, batch: 1_000, pauseMs: 0, signal: never })
  await waitUntil("the first scheduler to have the lock", async () => {
    const locks = await sql(
      "select 1 from pg_locks join pg_database d on d.oid = database where locktype = 'advisory' and datname = current_database()",
    )
    return locks.length === 1
  })
  expect(await other()).toEqual({ kind: "busy", runs: 0 })
  stop.abort()
  expect(await first).toEqual({ kind: "busy", runs: 5 })
  expect(await other()).toEqual({ kind: "finished", runs: (20 * 19) / 2 - 5 })
})
