import { lowestDeliveryId } from "@sitewire/contracts"
import { oneAtATime, type Pool } from "@sitewire/database"

/** The key of the advisory lock that lets only one dispatcher sweep at a time. */
const lockKey = 0x73776570

export type UnattemptedSweep = { kind: "busy" } | { kind: "swept"; deferred: number; more: boolean }

// Checks each row once, in the order of the ids, which is the order of the table. An index of unattempted
// deliveries would be more expensive: every delivery would need an entry, and recording its first attempt
// would no longer be a heap-only update.
const statement = `
with start as materialized (
  select coalesce((select checked_through from sweep_position where id = 1), '00000000-0000-0000-0000-000000000000') as id
), checked as materialized (
  select id, state = 'pending' and attempts = 0 and deferred_at is null as unattempted
    from delivery
   where id > (select id from start) and id < $1::uuid
   order by id limit $2
), position as (
  insert into sweep_position (id, checked_through)
  select 1, id from checked order by id desc limit 1
  on conflict (id) do update set checked_through = excluded.checked_through
), deferred as (
  update delivery set deferred_at = now(), deferred_reason = 'overdue', failures = 0, next_attempt_at = null
   where id = any (array(select id from checked where unattempted))
     and state = 'pending' and attempts = 0 and deferred_at is null
  returning 1
)
select (select count(*)::int from checked) as checked, (select count(*)::int from deferred) as deferred`

/**
 * Defers deliveries that were stored more than `overdueMs` ago and never attempted, because their dispatcher
 * died and their records were deleted.
 */
export async function sweepUnattempted(
  pool: Pool,
  { overdueMs, batch }: { overdueMs: number; batch: number },
): Promise<UnattemptedSweep> {
  const swept = await oneAtATime(pool, lockKey, async (sql) => {
    const [clock] = await sql<{ now_ms: number }>("select extract(epoch from now())::float8 * 1000 as now_ms")
    // By both clocks: if one of them is set ahead, a delivery whose first attempt is in flight is not deferred.
    const nowMs = Math.min(clock?.now_ms ?? 0, Date.now())
    const [row] = await sql<{ checked: number; deferred: number }>(statement, [
      lowestDeliveryId(nowMs - overdueMs),
      batch,
    ])
    return { deferred: row?.deferred ?? 0, more: row?.checked === batch }
  })
  return swept === null ? { kind: "busy" } : { kind: "swept", ...swept }
}
