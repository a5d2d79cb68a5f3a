import type { Sql } from "@sitewire/database"
import type { Traceparent } from "@sitewire/runtime"
import { type Channel, type ChannelRow, channelColumns, toChannel } from "../delivery.ts"

export type LoadedDelivery = {
  id: string
  eventId: string
  body: Buffer
  attempts: number
  /** How much of the retry period is over, without the time by which the attempt is late. */
  elapsedMs: number
  traceparent: Traceparent | null
  channel: Channel
}

type Row = ChannelRow & {
  id: string
  event_id: string
  body: Buffer
  attempts: number
  elapsed_ms: number
  traceparent: string | null
}

// A row that another transaction has locked is not attempted, because the outcome could not be recorded until that ends. It is then
// not scheduled any more, or the sweep defers it.
const statement = `
select delivery.id, event_id, body, waiting_delivery.attempts, traceparent, delivery.channel_id, ${channelColumns},
       greatest(0, extract(epoch from least(now(), next_attempt_at) - period_started_at))::float8 * 1000 as elapsed_ms
  from waiting_delivery join delivery on delivery.id = delivery_id join channel on channel.id = delivery.channel_id
 where delivery_id = any($1::uuid[]) and next_attempt_at is not null
   for share of waiting_delivery skip locked`

/** Only those for which an attempt is scheduled. */
export async function loadDeliveries(sql: Sql, ids: readonly string[]): Promise<LoadedDelivery[]> {
  const rows = await sql<Row>(statement, [ids], "load-deliveries")
  return rows.map((row) => ({
    id: row.id,
    eventId: row.event_id,
    body: row.body,
    attempts: row.attempts,
    elapsedMs: row.elapsed_ms,
    traceparent: row.traceparent,
    channel: toChannel(row),
  }))
}
