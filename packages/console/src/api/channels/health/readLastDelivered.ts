import type { ChannelHealth } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"

/** A channel without any success may have millions of deliveries. */
const mostDeliveries = 10_000

// Walks the channel's index from the newest delivery on.
const statement = `
select delivery_id, started_at, status from attempt
 where error is null and delivery_id = (
   select id from (
     select id, state from delivery where channel_id = $1 order by channel_id desc, id desc limit ${mostDeliveries}
   ) as newest where state = 'delivered' order by id desc limit 1)
 order by started_at desc limit 1`

/** For a channel without a success in the last day: that of the newest of its last 10,000 deliveries that was delivered. */
export async function readLastDelivered(sql: Sql, channel: string): Promise<ChannelHealth["last_success"]> {
  const [row] = await sql<{ delivery_id: string; started_at: Date; status: number | null }>(statement, [
    channel,
  ])
  return row ? { delivery: row.delivery_id, at: row.started_at.toISOString(), status: row.status } : null
}
