import type { Sql } from "@sitewire/database"
import { type Channel, type ChannelRow, channelColumns, toChannel } from "./delivery.ts"

export type LoadedDelivery = {
  id: string
  eventId: string
  body: Buffer
  attempts: number
  /** The body was erased on request: there is nothing to send. */
  erased: boolean
  /** When it was recorded as delivered; null while it is not. */
  deliveredAt: Date | null
  channel: Channel
}

type Row = ChannelRow & {
  id: string
  event_id: string
  body: Buffer
  attempts: number
  erased: boolean
  delivered_at: Date | null
}

const statement = `
select delivery.id, event_id, body, attempts, state = 'erased' as erased,
       case state when 'delivered' then finished_at end as delivered_at,
       channel_id, ${channelColumns}
  from delivery join channel on channel.id = delivery.channel_id
 where delivery.id = any($1::uuid[])`

/** The deliveries with these ids, with their channels as they are now. Those that were deleted are left out. */
export async function loadDeliveries(sql: Sql, ids: readonly string[]): Promise<LoadedDelivery[]> {
  const rows = await sql<Row>(statement, [ids], "load-deliveries")
  return rows.map(toDelivery)
}

function toDelivery(row: Row): LoadedDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    body: row.body,
    attempts: row.attempts,
    erased: row.erased,
    deliveredAt: row.delivered_at,
    channel: toChannel(row),
  }
}
