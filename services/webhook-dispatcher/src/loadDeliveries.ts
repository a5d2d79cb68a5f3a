import type { Sql } from "@sitewire/database"
import type { Channel } from "./delivery.ts"

export type LoadedDelivery = {
  id: string
  eventId: string
  body: Buffer
  attempts: number
  channel: Channel
}

type Row = {
  id: string
  event_id: string
  body: Buffer
  attempts: number
  channel_id: string
  address: string
  secret_id: string
  secret_sealed: Buffer
}

const statement = `
select delivery.id, event_id, body, attempts,
       channel.id as channel_id, address, secret_id, secret_sealed
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
    channel: {
      id: row.channel_id,
      address: row.address,
      secretId: row.secret_id,
      secretSealed: row.secret_sealed,
    },
  }
}
