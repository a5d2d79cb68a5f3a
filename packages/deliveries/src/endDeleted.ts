import type { Sql } from "@sitewire/database"
import { endWaiting, firstOfChannels, isFree } from "./waiting.ts"

// Deliveries with a lease may have an attempt in flight. They are ended when the lease has ended.
const statement = `
with recursive ${firstOfChannels("channel_id", "true")}, deleted as materialized (
  select channel_id from first join deleted_channel on id = channel_id
), locked as materialized (
  select waiting.* from deleted cross join lateral (
     select channel_id, delivery_id, period_started_at as since from waiting_delivery
      where channel_id = deleted.channel_id and ${isFree}
      order by delivery_id limit $1 for update skip locked) as waiting
   limit $1
), ${endWaiting("channel-deleted")}
select channel_id as channel, count(*)::int as ended from locked group by channel_id`

/** Ends the wait of at most `most` deliveries of deleted channels: those that are pending become dead. Returns their number by channel. */
export function endDeleted(sql: Sql, most: number): Promise<{ channel: string; ended: number }[]> {
  return sql(statement, [most], "end-deleted")
}

/** Deletes what dispatchers store of a channel. In the transaction that deletes it. */
export async function forgetChannel(sql: Sql, channel: string): Promise<void> {
  await sql("delete from channel_rate where channel_id = $1", [channel])
  await sql("delete from unreachable_channel where channel_id = $1", [channel])
}
