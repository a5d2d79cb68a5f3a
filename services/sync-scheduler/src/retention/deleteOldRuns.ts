import { setTimeout as sleep } from "node:timers/promises"
import { oneAtATime, type Pool } from "@sitewire/database"

/** Any number that nothing else on this database locks: "sync" in four bytes. */
const lockKey = 0x73796e63

export type Deleted = {
  /** `busy`: another scheduler is deleting, or this one was told to stop; what is left goes next time. */
  kind: "finished" | "busy"
  runs: number
}

/**
 * Deletes the runs that started before `before`, except each connection's newest, which tells when it last synced and
 * what came of it. `batch` bounds the connections that one statement looks at and the rows that it deletes, with a
 * pause after each, so that no statement holds up syncs, nor the replicas and the vacuum behind them.
 *
 * It walks the connections by the windows' primary key, and the runs of each by their own (connection, fence): there
 * is no index of times, because every start and every end of a run would have to keep it.
 */
export async function deleteOldRuns(settings: {
  pool: Pool
  before: Date
  batch: number
  pauseMs: number
  signal: AbortSignal
}): Promise<Deleted> {
  const { pool, before, batch, pauseMs, signal } = settings
  let runs = 0
  let after = ""
  for (;;) {
    if (signal.aborted) return { kind: "busy", runs }
    const step = await oneAtATime(pool, lockKey, async (sql) => {
      const [row] = await sql<Step>(deleteSome, [after, before, batch])
      // Inside the transaction, and so under its lock: two schedulers do not take turns in each other's pauses.
      if (row?.last) await sleep(pauseMs, undefined, { signal }).catch(() => {})
      return row
    })
    if (step === null) return { kind: "busy", runs }
    runs += step?.deleted ?? 0
    if (!step?.last) return { kind: "finished", runs }
    // Where the batch was full, the same connections may have more.
    if (step.deleted < batch) after = step.last
  }
}

type Step = { last: string | null; deleted: number }

const deleteSome = `
with looked_at as materialized (
  select connection_id, fence from sync_window where connection_id > $1 order by connection_id limit $3
),
deleted as (
  delete from sync_run r
  where r.ctid = any (array(
    select old.ctid
    from looked_at cross join lateral (
      select run.ctid from sync_run run
      where run.connection_id = looked_at.connection_id and run.fence < looked_at.fence and run.started_at < $2
      order by run.fence limit $3
    ) old
    limit $3
  ))
  returning 1
)
select (select max(connection_id) from looked_at) as last, (select count(*)::int from deleted) as deleted
`
