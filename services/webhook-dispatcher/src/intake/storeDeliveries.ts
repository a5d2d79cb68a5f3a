import { plainArray, type Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns } from "../delivery.ts"
import { newDeliveryId } from "./newDeliveryId.ts"

export type NewDelivery = {
  eventId: string
  channelId: string
  body: Buffer
  bodySha256: Buffer
  correlation: string
  /** When its record was appended, in milliseconds. */
  appendedAt: number
  /** It names somebody, or a site, that was erased on request: its row is stored without a body, and nothing is sent. */
  erased?: boolean
}

export type StoredRow = {
  /** Of the delivery that was made, where it is fresh. */
  id: string
  /** False: an event with this id was there before. */
  fresh: boolean
  /** Stored without a body; see `NewDelivery`. */
  erased: boolean
  /** Nulls: no such channel, and nothing was stored. */
} & (ChannelRow | Record<keyof ChannelRow, null>)

// One statement for a batch: deduplicates by the event's id, resolves the channels and stores the bodies. The rows come
// back in the order that they were given in. `on conflict do nothing` makes it safe to repeat after a crash.
//
// The bodies and their hashes travel as one value each and are cut up here: the driver sends a single `bytea` as it is,
// but an array of them as text, in hexadecimal and escaped.
const statement = `
with incoming as (
  select wanted.id, event_id, correlation, position,
         substring($4::bytea from body_start for body_bytes) as body,
         substring($7::bytea from 32 * (position::int - 1) + 1 for 32) as body_sha256,
         coalesce(erased, false) as erased, channel.id as channel_id, ${channelColumns}
    from unnest($1::uuid[], $2::text[], $3::text[], $5::int[], $6::int[], $8::text[], $9::boolean[])
    with ordinality as wanted (id, event_id, channel_id, body_start, body_bytes, correlation, erased, position)
    left join channel on channel.id = wanted.channel_id
), stored as (
  insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state, finished_at)
  select id, event_id, channel_id, case when erased then '' else body end, case when erased then '' else body_sha256 end,
         correlation, (case when erased then 'erased' else 'pending' end)::delivery_state, case when erased then now() end
    from incoming where channel_id is not null
  on conflict (event_id) do nothing
  returning id
)
select stored.id is not null as fresh, channel_id, ${channelColumns}
  from incoming left join stored on stored.id = incoming.id
 order by incoming.position`

/**
 * Stores deliveries that are new. Event ids must differ within the batch. The ids are made here, and anew where the batch is
 * stored again after an outage: they are times, and must agree with the rows' own.
 */
export async function storeDeliveries(sql: Sql, batch: readonly NewDelivery[]): Promise<StoredRow[]> {
  const ids = batch.map(newDeliveryId)
  const starts: number[] = []
  let next = 1
  for (const { body } of batch) {
    starts.push(next)
    next += body.length
  }
  const rows = await sql<StoredRow>(
    statement,
    [
      plainArray(ids),
      batch.map(({ eventId }) => eventId),
      batch.map(({ channelId }) => channelId),
      Buffer.concat(batch.map(({ body }) => body)),
      plainArray(starts),
      plainArray(batch.map(({ body }) => body.length)),
      Buffer.concat(batch.map(({ bodySha256 }) => bodySha256)),
      batch.map(({ correlation }) => correlation),
      // Where none is, which is nearly always, there is no list to be built and read.
      batch.some(({ erased }) => erased) ? batch.map(({ erased }) => erased ?? false) : null,
    ],
    "store-deliveries",
  )
  for (const [at, row] of rows.entries()) {
    row.id = ids[at] ?? ""
    row.erased = batch[at]?.erased ?? false
  }
  return rows
}
