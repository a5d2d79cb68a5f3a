import type { Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns } from "./delivery.ts"

export type NewDelivery = {
  id: string
  eventId: string
  channelId: string
  body: Buffer
  bodySha256: Buffer
  correlation: string
}

export type StoredRow = {
  /** False: an event with this id was there before. */
  fresh: boolean
  /** Nulls: no such channel, and nothing was stored. */
} & (ChannelRow | Record<keyof ChannelRow, null>)

// One statement for a batch: deduplicates by the event's id, resolves the channels and stores the bodies. The rows come
// back in the order that they were given in. `on conflict do nothing` makes it safe to repeat after a crash.
const statement = `
with incoming as (
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::text[])
    with ordinality as t (id, event_id, channel_id, body, body_sha256, correlation, position)
), stored as (
  insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, next_attempt_at)
  select incoming.id, event_id, channel_id, body, body_sha256, correlation, now()
    from incoming join channel on channel.id = incoming.channel_id
  on conflict (event_id) do nothing
  returning id
)
select stored.id is not null as fresh,
       ${channelColumns}
  from incoming
  left join channel on channel.id = incoming.channel_id
  left join stored on stored.id = incoming.id
 order by incoming.position`

/** Stores deliveries that are new. Event ids must differ within the batch. */
export function storeDeliveries(sql: Sql, batch: readonly NewDelivery[]): Promise<StoredRow[]> {
  const column = <K extends keyof NewDelivery>(name: K) => batch.map((delivery) => delivery[name])
  return sql<StoredRow>(
    statement,
    [
      column("id"),
      column("eventId"),
      column("channelId"),
      column("body"),
      column("bodySha256"),
      column("correlation"),
    ],
    "store-deliveries",
  )
}
