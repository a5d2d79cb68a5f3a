import type { Sql } from "@sitewire/database"
import { unreachableUntilNow } from "./elapsedTime.ts"
import { isFree } from "./lease.ts"

/** Their records usually arrive at once, and cost less. */
const lateMs = 2_000

/** One statement defers so many. */
export const madeDueAtOnce = 1_000

// The time by which the attempt is late does not count towards the retry period, so the start of the period moves forward by it.
const statement = `
with late as materialized (
  select delivery_id, next_attempt_at as due_at from waiting_delivery
   where next_attempt_at < now() - interval '${lateMs} milliseconds' and ${isFree}
   order by next_attempt_at limit ${madeDueAtOnce} for update skip locked
)
update waiting_delivery
   set deferred_at = now(), deferred_reason = 'overdue', lease_expires_at = null, next_attempt_at = null,
       period_started_at = period_started_at + (now() - due_at),
       unreachable_ms = ${unreachableUntilNow("waiting_delivery.channel_id")}
  from late
 where waiting_delivery.delivery_id = any (array(select delivery_id from late)) and waiting_delivery.delivery_id = late.delivery_id
returning late.delivery_id`

/**
 * Defers scheduled deliveries that are due and that no record has woken: it is late or lost, in a topic that is no longer consumed since
 * RETRY_DELAYS changed, or the process that it had woken was killed. Returns their number, `madeDueAtOnce` at most.
 */
export async function makeDue(sql: Sql): Promise<number> {
  return (await sql(statement, [], "make-due")).length
}
