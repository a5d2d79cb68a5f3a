import type { Sql } from "@sitewire/database"
import { deferIfDue, isFree } from "./waiting.ts"

/** Until then, a record may wake them, which costs less. */
const lateMs = 2_000

/** One statement defers so many. */
export const madeDueAtOnce = 1_000

const statement = `
with late as materialized (
  select delivery_id from waiting_delivery
   where next_attempt_at < now() - interval '${lateMs} milliseconds' and ${isFree}
   order by next_attempt_at limit ${madeDueAtOnce} for update skip locked
)
update waiting_delivery set lease_expires_at = null, ${deferIfDue("'overdue'")}
 where delivery_id = any (array(select delivery_id from late))
returning delivery_id`

/**
 * Defers scheduled deliveries that are due and that no record has woken: it is late, lost or in a topic of earlier RETRY_DELAYS, or the
 * process that it had woken was killed. Returns their number, `madeDueAtOnce` at most.
 */
export async function makeDue(sql: Sql): Promise<number> {
  return (await sql(statement, [], "make-due")).length
}
