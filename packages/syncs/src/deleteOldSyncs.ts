import { dropDay, type OldRows, oneAtATime, type Sql } from "@sitewire/database"
import { sleepUnlessAborted } from "@sitewire/runtime"

/** The key of the advisory lock that lets only one scheduler delete at a time: "sync". */
const lockKey = 0x73796e63

export type Deleted = {
  /** `busy`: another scheduler is deleting, this one is stopping, or a day is being read. */
  kind: "finished" | "busy"
  days: number
  /** One by one, because their day was never made. */
  syncs: number
}

/** Deletes the syncs of days that ended before `before`. `batch` limits what a statement deletes one by one. */
export async function deleteOldSyncs(settings: OldRows): Promise<Deleted> {
  const { pool, before, batch, pauseMs, signal } = settings
  const total = { days: 0, syncs: 0 }
  for (;;) {
    const dropped = await dropDay(pool, lockKey, async (sql) => {
      const [row] = await sql<{ day: Date | null }>("select drop_sync_day($1) as day", [before])
      return row?.day ?? "none"
    })
    if (dropped === null) return { kind: "busy", ...total }
    if (dropped === "none") break
    total.days++
  }
  for (;;) {
    if (signal.aborted) return { kind: "busy", ...total }
    const syncs = await oneAtATime(pool, lockKey, async (sql) => {
      const [row] = await sql<{ syncs: number }>(deleteSome, [before, batch])
      // The pause is inside the transaction, because its lock keeps other schedulers from deleting meanwhile.
      if (row?.syncs === batch) await sleepUnlessAborted(pauseMs, signal)
      return row?.syncs ?? 0
    })
    if (syncs === null) return { kind: "busy", ...total }
    total.syncs += syncs
    if (syncs < batch) return { kind: "finished", ...total }
  }
}

const deleteSome = `
with old as materialized (
  select connection_id, fence, started_at from sync_run
   where started_at < date_trunc('day', $1::timestamptz, 'UTC') order by started_at limit $2
),
deleted as (
  delete from sync_run using old
   where sync_run.connection_id = old.connection_id and sync_run.fence = old.fence and sync_run.started_at = old.started_at
  returning 1
)
select count(*)::int as syncs from deleted`

/**
 * Deletes at most `limit` contents that were replaced before the time, and returns how many. It skips connections whose sync is being
 * finished, and locks the windows of the others.
 */
export async function deletePreviousContents(
  sql: Sql,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  return (await sql(deletePrevious, [before, limit])).length
}

const deletePrevious = `
with old as materialized (
  select p.connection_id, p.fence from previous_snapshot p join sync_window w using (connection_id)
  where p.replaced_at < $1
  order by p.replaced_at limit $2
  for update of w, p skip locked
),
chunks as (
  delete from snapshot_chunk c using old where c.connection_id = old.connection_id and c.fence = old.fence
)
delete from previous_snapshot p using old where p.connection_id = old.connection_id and p.fence = old.fence
returning 1 as one
`
