import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startStack } from "../../test/fixtures/scheduler.ts"
import { emptyDatabase } from "../../test/fixtures/windows.ts"
import { deleteOldRuns } from "./deleteOldRuns.ts"

const day = 86_400_000
const never = new AbortController().signal

/** Each connection has as many runs as its number, one a day, the newest `newestDaysAgo` days ago. */
const makeRuns = `
insert into sync_run (connection_id, fence, started_at, triggers, outcome)
select 'c' || c, fence, now() - ($2::int + c - fence) * interval '1 day', 1, 'unchanged'
from generate_series(1, $1::int) as c, generate_series(1, c) as fence`
const makeWindows = `
insert into sync_window (connection_id, fence) select connection_id, max(fence) from sync_run group by 1`

test("runs older than the retention go, in batches smaller than their number; each connection's newest stays", async () => {
  const { sql, open } = await emptyDatabase()
  await sql(makeRuns, [40, 0])
  await sql(makeWindows)
  await sql("update sync_run set started_at = started_at - interval '100 days' where connection_id = 'c40'")
  const before = new Date(Date.now() - 9.5 * day)
  const settings = { pool: open(), before, batch: 7, pauseMs: 0, signal: never }
  // c11 to c39 have 1 to 29 runs of 10 days and more; of c40 all are old and the newest stays.
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

test("one scheduler deletes at a time, and the lock goes with its process", async () => {
  const { sql, open } = await emptyDatabase()
  await sql(makeRuns, [20, 50])
  await sql(makeWindows)
  const before = new Date()
  const stop = new AbortController()
  const first = deleteOldRuns({ pool: open(), before, batch: 5, pauseMs: 60_000, signal: stop.signal })
  const other = () => deleteOldRuns({ pool: open(), before, batch: 1_000, pauseMs: 0, signal: never })
  await waitUntil("the first to have the lock", async () => {
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

test("a scheduler deletes by itself what RETENTION says", async () => {
  const stack = await startStack({ RETENTION: "24s" })
  await stack.sql(makeRuns, [3, 1])
  await stack.sql(makeWindows)
  await stack.startScheduler()
  await waitUntil(
    "the old runs to be gone",
    async () => (await stack.sql("select 1 from sync_run")).length === 3,
  )
})
