import type { Sql } from "@sitewire/database"
import { endWaiting } from "../outcome/endWaiting.ts"

// Deliveries with a lease may have an attempt in flight. They are ended when the lease has ended.
const statement = `
with locked as materialized (
  select delivery_id, period_started_at as since from waiting_delivery
   where channel_id = $1 and (lease_expires_at is null or lease_expires_at < now())
   order by delivery_id limit $2 for update skip locked
), ${endWaiting("channel-deleted", "channel_deleted")}
select delivery_id from locked`

/** Ends the wait of a deleted channel's deliveries: those that are pending become dead. Returns their number. */
export async function endDeliveries(
  sql: Sql,
  channel: string,
  { batch }: { batch: number },
): Promise<number> {
  return (await sql(statement, [channel, batch])).length
}
