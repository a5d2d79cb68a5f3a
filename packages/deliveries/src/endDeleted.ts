import type { Sql } from "@sitewire/database"
import { endWaiting, firstOfChannels, isFree } from "./waiting.ts"

// Deliveries with a lease may have an attempt in flight. They are ended when the lease has ended.
const statement = `
with locked as materialized (
  select delivery_id, period_started_at as since from waiting_delivery
   where channel_id = $1 and ${isFree}
   order by delivery_id limit $2 for update skip locked
), ${endWaiting("channel-deleted")}
select delivery_id from locked`

/** Ends the wait of a deleted channel's deliveries: those that are pending become dead. Returns their number. */
export async function endDeliveries(
  sql: Sql,
  channel: string,
  { batch }: { batch: number },
): Promise<number> {
  return (await sql(statement, [channel, batch])).length
}

const waitingChannels = `
with recursive ${firstOfChannels("channel_id", "true")}
select id from first join deleted_channel on id = channel_id`

/** Deletes what dispatchers store of a channel. In the transaction that deletes it. */
export async function forgetChannel(sql: Sql, channel: string): Promise<void> {
  await sql("delete from channel_rate where channel_id = $1", [channel])
  await sql("delete from unreachable_channel where channel_id = $1", [channel])
}

/** Deleted channels that have deliveries that wait. */
export async function findDeletedChannels(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }>(waitingChannels, [], "find-deleted-channels")
  return rows.map(({ id }) => id)
}
