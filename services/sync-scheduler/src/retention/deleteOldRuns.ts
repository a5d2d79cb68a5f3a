import { setTimeout as sleep } from "node:timers/promises"
import { oneAtATime, type Pool } from "@sitewire/database"

/** Up to 10,000 rows a second. 100,000 connections that sync every minute add only 1,700. */
export const deletionPace = { batch: 1_000, pauseMs: 100 }

/** The key of an advisory lock: "sync". */
const lockKey = 0x73796e63

export type Deleted = {
  /** `busy`: another scheduler is deleting, or this one is stopping. */
  kind: "finished" | "busy"
  runs: number
}

/**
 * Deletes the runs that started before `before`, except each connection's newest. `batch` limits what a
 * statement reads and deletes, so that it delays neither syncs nor replicas nor vacuum. It reads connection by
 * connection, because the newest runs of idle connections stay and would be read again and again by time.
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
      // The pause is inside the transaction, because its lock keeps other schedulers from deleting meanwhile.
      if (row?.last) await sleep(pauseMs, undefined, { signal }).catch(() => {})
      return row
    })
    if (step === null) return { kind: "busy", runs }
    runs += step?.deleted ?? 0
    if (!step?.last) return { kind: "finished", runs }
    // After a full batch, the same connections are read again, because they may have more old runs.
    if (step.deleted < batch) after = step.last
  }
}

type Step = { last: string | null; deleted: number }

const deleteSome = `
with scanned as materialized (
  select connection_id, fence from sync_window where connection_id > $1 order by connection_id limit $3
),
deleted as (
  delete from sync_run r
  where r.ctid = any (array(
    select old.ctid
    from scanned cross join lateral (
      select run.ctid from sync_run run
      where run.connection_id = scanned.connection_id and run.fence < scanned.fence and run.started_at < $2
      order by run.fence limit $3
    ) old
    limit $3
  ))
  returning 1
)
select (select max(connection_id) from scanned) as last, (select count(*)::int from deleted) as deleted
`
