import { newDeliveryId, searchDigestBytes } from "@sitewire/contracts"
import { plainArray, type Sql } from "@sitewire/database"
import type { Traceparent } from "@sitewire/runtime"
import { type ChannelRow, channelColumns } from "../delivery.ts"

export type NewDelivery = {
  eventId: string
  channelId: string
  body: Buffer
  bodySha256: Buffer
  /** The digests of the reference and of the site, for searches. */
  searchDigests: Buffer
  correlation: string
  /** The context of the event's span, if it is recorded. */
  traceparent?: Traceparent | null
  /** When the event's record was appended to its topic, in milliseconds since the epoch. */
  appendedAt: number
  /** The event names an erased person or site. Its delivery is stored without the body and not sent. */
  erased?: boolean
}

export type StoredRow = {
  /** Valid only if the row was inserted. */
  id: string
  /** False: the event's id is known already. */
  inserted: boolean
  erased: boolean
  /** The columns of the channel. All are null if the channel is unknown. Then nothing is stored. */
} & (ChannelRow | Record<keyof ChannelRow, null>)

const searchKey = (digest: 0 | 1) =>
  `substring(uuid_send(given.id) from 1 for 3)
           || substring($10::bytea from ${searchDigestBytes} * (2 * (position::int - 1) + ${digest}) + 1 for ${searchDigestBytes})`

// All bodies are sent as one value, which the statement splits, and all hashes as another: the driver sends a
// single `bytea` in binary, but an array of them as hexadecimal text.
const statement = `
with incoming as (
  select given.id, event_id, correlation, traceparent, position,
         substring($4::bytea from body_start for body_bytes) as body,
         substring($7::bytea from 32 * (position::int - 1) + 1 for 32) as body_sha256,
         ${searchKey(0)} as reference_key,
         ${searchKey(1)} as site_key,
         coalesce(erased, false) as erased, channel.id as channel_id, ${channelColumns}
    from unnest($1::uuid[], $2::text[], $3::text[], $5::int[], $6::int[], $8::text[], $9::boolean[], $11::text[])
    with ordinality as given (id, event_id, channel_id, body_start, body_bytes, correlation, erased, traceparent, position)
    left join channel on channel.id = given.channel_id
), stored as (
  insert into delivery (id, event_id, channel_id, body, body_sha256, reference_key, site_key, correlation, traceparent, state, finished_at)
  select id, event_id, channel_id, case when erased then '' else body end, case when erased then '' else body_sha256 end,
         case when not erased then reference_key end, case when not erased then site_key end, correlation, traceparent,
         (case when erased then 'erased' else 'pending' end)::delivery_state, case when erased then now() end
    from incoming where channel_id is not null
  on conflict (event_id) do nothing
  returning id
)
select stored.id is not null as inserted, channel_id, ${channelColumns}
  from incoming left join stored on stored.id = incoming.id
 order by incoming.position`

/**
 * Event ids must be unique within the batch. Delivery ids contain the time at which they were created, so
 * each call creates new ones: a failed call for the same events may have been long ago.
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
      batch.some(({ erased }) => erased) ? batch.map(({ erased }) => erased ?? false) : null,
      Buffer.concat(batch.map(({ searchDigests }) => searchDigests)),
      batch.some(({ traceparent }) => traceparent)
        ? batch.map(({ traceparent }) => traceparent ?? null)
        : null,
    ],
    "store-deliveries",
  )
  for (const [at, row] of rows.entries()) {
    row.id = ids[at] ?? ""
    row.erased = batch[at]?.erased ?? false
  }
  return rows
}
