import type { Sql } from "@sitewire/database"
import type { Traceparent } from "@sitewire/runtime"
import { type Channel, type ChannelRow, channelColumns, toChannel } from "../delivery.ts"

export type LoadedDelivery = {
  id: string
  eventId: string
  body: Buffer
  state: "pending" | "delivered" | "dead" | "cancelled" | "erased"
  attempts: number
  /** By how much the scheduled attempt is late; negative before it is due; null if none is scheduled. */
  lateMs: number | null
  /** How much of the retry period is over; null if no attempt is scheduled. */
  elapsedMs: number | null
  deferred: boolean
  traceparent: Traceparent | null
  channel: Channel
}

type Row = ChannelRow & {
  id: string
  event_id: string
  body: Buffer
  state: LoadedDelivery["state"]
  attempts: number
  late_ms: number | null
  elapsed_ms: number | null
  deferred: boolean
  traceparent: string | null
}

const statement = `
select delivery.id, event_id, body, state::text, delivery.attempts, traceparent, deferred_at is not null as deferred,
       extract(epoch from now() - next_attempt_at)::float8 * 1000 as late_ms,
       extract(epoch from now() - period_started_at)::float8 * 1000 as elapsed_ms,
       delivery.channel_id, ${channelColumns}
  from delivery join channel on channel.id = delivery.channel_id
  left join waiting_delivery on delivery_id = delivery.id
 where delivery.id = any($1::uuid[])`

/** Omits deliveries that were deleted. */
export async function loadDeliveries(sql: Sql, ids: readonly string[]): Promise<LoadedDelivery[]> {
  const rows = await sql<Row>(statement, [ids], "load-deliveries")
  return rows.map(toDelivery)
}

function toDelivery(row: Row): LoadedDelivery {
  return {
    id: row.id,
    eventId: row.event_id,
    body: row.body,
    state: row.state,
    attempts: row.attempts,
    lateMs: row.late_ms,
    elapsedMs: row.elapsed_ms,
    deferred: row.deferred,
    traceparent: row.traceparent,
    channel: toChannel(row),
  }
}
