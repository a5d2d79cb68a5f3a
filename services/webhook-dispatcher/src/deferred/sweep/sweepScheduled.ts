import { type Sql, unreachableUntilNow } from "@sitewire/database"

export type SweepRequest = {
  overdueMs: number
  batch: number
  /** Unix time by this process's clocks, in ms. */
  nowMs: number
  /** What was due before (Unix time in ms) is not read. */
  from: number
}

export type Swept = {
  deferred: number
  /** When the last of them was due: Unix time in ms. */
  lastDueMs: number
}

// Overdue by Postgres's clock and by this process's: if one of them is set ahead, nothing is attempted early.
//
// The overdue time does not count towards the retry period, so the start of the period moves forward by it.
const statement = `
with overdue as materialized (
  select delivery_id, next_attempt_at as due_at from waiting_delivery
   where next_attempt_at < least(now(), to_timestamp($3::float8 / 1000)) - $1::float8 * interval '1 millisecond'
     and next_attempt_at >= to_timestamp($4::float8 / 1000)
   order by next_attempt_at limit $2 for update skip locked
)
update waiting_delivery
   set deferred_at = now(), deferred_reason = 'overdue', lease_expires_at = null, next_attempt_at = null,
       period_started_at = period_started_at + (now() - due_at),
       unreachable_ms = ${unreachableUntilNow("waiting_delivery.channel_id")}
  from overdue
 where waiting_delivery.delivery_id = any (array(select delivery_id from overdue))
   and waiting_delivery.delivery_id = overdue.delivery_id
returning extract(epoch from due_at)::float8 * 1000 as due_ms`

/**
 * Defers deliveries whose next attempt is overdue, because their retry record was deleted, is unreadable, or
 * is in a topic that is no longer consumed since RETRY_DELAYS changed.
 */
export async function sweepScheduled(
  sql: Sql,
  { overdueMs, batch, nowMs, from }: SweepRequest,
): Promise<Swept> {
  const rows = await sql<{ due_ms: number }>(statement, [overdueMs, batch, nowMs, from], "sweep-scheduled")
  return { deferred: rows.length, lastDueMs: rows.reduce((last, { due_ms }) => Math.max(last, due_ms), from) }
}
