import type { Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns } from "../delivery.ts"

/** SQLSTATE read_only_sql_transaction. */
const readOnlyState = "25006"

export type EventRow = {
  /** A delivery of the event is stored. */
  known: boolean
  /** The columns of the channel. All are null if the channel is unknown. */
} & (ChannelRow | Record<keyof ChannelRow, null>)

// Before an attempt, because its outcome could not be stored. (After a failover, Postgres may be a standby.)
const statement = `
select current_setting('transaction_read_only') = 'on' as read_only, (select version from erasure_list) as erasures, stored.known is not null as known, channel.id as channel_id, ${channelColumns}
  from unnest($1::text[], $2::text[]) with ordinality as given (event_id, channel_id, position)
  left join channel on channel.id = given.channel_id
  left join lateral (select true as known from known_event where known_event.event_id = given.event_id) as stored on true
 order by given.position`

/**
 * What must be known before an event's first attempt: a row for each event, in their order, and the version of the list of
 * erasures. Fails as a write would if Postgres is read-only.
 */
export async function lookUpEvents(
  sql: Sql,
  events: readonly { eventId: string; channelId: string }[],
): Promise<{ rows: EventRow[]; erasures: string }> {
  const values = [events.map(({ eventId }) => eventId), events.map(({ channelId }) => channelId)]
  const rows = await sql<EventRow & { read_only: boolean; erasures: string }>(
    statement,
    values,
    "look-up-events",
  )
  if (rows[0]?.read_only)
    throw Object.assign(new Error("cannot store deliveries in a read-only transaction"), {
      code: readOnlyState,
    })
  return { rows, erasures: rows[0]?.erasures ?? "none" }
}
