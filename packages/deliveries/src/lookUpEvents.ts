import type { Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns, type NewDelivery } from "./delivery.ts"

/** SQLSTATE read_only_sql_transaction. */
const readOnlyState = "25006"

export type EventRow = {
  /** A delivery of the event is stored. */
  known: boolean
  /** The stored delivery, which is not erased, has another body. */
  differs: boolean
  /** The columns of the channel. All are null if the channel is unknown. */
} & (ChannelRow | Record<keyof ChannelRow, null>)

// Before an attempt, because its outcome could not be stored. (After a failover, Postgres may be a standby.)
const statement = `
select current_setting('transaction_read_only') = 'on' as read_only, (select version from erasure_list) as erasures, stored.delivery_id, channel.id as channel_id, ${channelColumns}
  from unnest($1::text[], $2::text[]) with ordinality as given (event_id, channel_id, position)
  left join channel on channel.id = given.channel_id
  left join lateral (select delivery_id from known_event where known_event.event_id = given.event_id) as stored on true
 order by given.position`

/**
 * What must be known before an event's first attempt: a row for each event, in their order, and the version of the list of
 * erasures. Fails as a write would if Postgres is read-only.
 */
export async function lookUpEvents(
  sql: Sql,
  events: readonly Pick<NewDelivery, "eventId" | "channelId" | "bodySha256">[],
): Promise<{ rows: EventRow[]; erasures: string }> {
  const values = [events.map(({ eventId }) => eventId), events.map(({ channelId }) => channelId)]
  type Row = EventRow & { read_only: boolean; erasures: string; delivery_id: string | null }
  const found = await sql<Row>(statement, values, "look-up-events")
  if (found[0]?.read_only)
    throw Object.assign(new Error("cannot store deliveries in a read-only transaction"), {
      code: readOnlyState,
    })
  const known = found.flatMap(({ delivery_id }) => delivery_id ?? [])
  // A statement of its own, because hardly any event is known, and `delivery` has many partitions.
  const stored =
    known.length === 0 ? [] : await sql<{ id: string; body_sha256: Buffer }>(storedBodies, [known])
  const hashes = new Map(stored.map(({ id, body_sha256 }) => [id, body_sha256]))
  const rows = found.map((row, at) => {
    const hash = hashes.get(row.delivery_id ?? "")
    const differs = hash !== undefined && !events[at]?.bodySha256.equals(hash)
    return { ...row, known: row.delivery_id !== null, differs }
  })
  return { rows, erasures: found[0]?.erasures ?? "none" }
}

const storedBodies = "select id, body_sha256 from delivery where id = any($1::uuid[]) and state <> 'erased'"
