import { type Sql, unreachableUntilNow } from "@sitewire/database"

// Overdue by Postgres's clock and by this process's: if one of them is set ahead, nothing is attempted early.
//
// The overdue time does not count towards the retry period, so the start of the period moves forward by it.
const statement = `
update waiting_delivery
   set deferred_at = now(), deferred_reason = 'overdue', lease_expires_at = null, next_attempt_at = null,
       period_started_at = period_started_at + (now() - next_attempt_at),
       unreachable_ms = ${unreachableUntilNow("waiting_delivery.channel_id")}
 where delivery_id = any (array(
   select delivery_id from waiting_delivery
    where next_attempt_at < least(now(), to_timestamp($3::float8 / 1000)) - $1::float8 * interval '1 millisecond'
    order by next_attempt_at limit $2 for update skip locked))
returning delivery_id`

/**
 * Defers deliveries whose next attempt is overdue, because their retry record was deleted, is unreadable, or
 * is in a topic that is no longer consumed since RETRY_DELAYS changed.
 */
export async function sweepScheduled(
  sql: Sql,
  { overdueMs, batch }: { overdueMs: number; batch: number },
): Promise<number> {
  return (await sql(statement, [overdueMs, batch, Date.now()], "sweep-scheduled")).length
}
