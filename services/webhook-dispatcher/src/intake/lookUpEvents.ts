import type { Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns } from "../delivery.ts"

export type EventRow = {
  /** A delivery of the event is stored. */
  known: boolean
  /** The columns of the channel. All are null if the channel is unknown. */
} & (ChannelRow | Record<keyof ChannelRow, null>)

const statement = `
select stored.known is not null as known, channel.id as channel_id, ${channelColumns}
  from unnest($1::text[], $2::text[]) with ordinality as given (event_id, channel_id, position)
  left join channel on channel.id = given.channel_id
  left join lateral (select true as known from delivery where delivery.event_id = given.event_id limit 1) as stored on true
 order by given.position`

/** What must be known before an event's first attempt. Returns a row for each event, in their order. */
export function lookUpEvents(
  sql: Sql,
  events: readonly { eventId: string; channelId: string }[],
): Promise<EventRow[]> {
  const values = [events.map(({ eventId }) => eventId), events.map(({ channelId }) => channelId)]
  return sql<EventRow>(statement, values, "look-up-events")
}
