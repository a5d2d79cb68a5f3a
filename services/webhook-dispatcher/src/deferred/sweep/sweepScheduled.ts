import type { Sql } from "@sitewire/database"

// The time by which the attempt is overdue does not count towards the retry period: nobody asked the partner.
const statement = `
update delivery
   set deferred_at = now(), deferred_reason = 'overdue', lease_expires_at = null, next_attempt_at = null,
       period_started_at = period_started_at + (now() - next_attempt_at)
 where id = any (array(
   select id from delivery where next_attempt_at < now() - $1::float8 * interval '1 millisecond'
    order by next_attempt_at limit $2 for update skip locked))
returning id`

/**
 * Defers scheduled deliveries whose next attempt is overdue: the record that carried it was lost with its topic, cannot be read,
 * is in a topic that nobody reads since RETRY_DELAYS changed, or was kept for a shorter time than the dispatchers were down. If the
 * record comes all the same, it is stale. Returns how many it deferred, at most `batch`.
 */
export async function sweepScheduled(
  sql: Sql,
  { overdueMs, batch }: { overdueMs: number; batch: number },
): Promise<number> {
  return (await sql(statement, [overdueMs, batch], "sweep-scheduled")).length
}
