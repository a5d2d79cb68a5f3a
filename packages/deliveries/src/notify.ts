import { newDeliveryId, sha256 } from "@sitewire/contracts"
import { named, type Sql, unnestColumns } from "@sitewire/database"
import { unreachableUntilNow } from "./unreachable.ts"

const columns = { id: "uuid", event_id: "text", channel_id: "text", body: "bytea", body_sha256: "bytea" }
const statement = `
with stored as (
  insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
  select id, event_id, channel_id, body, body_sha256, event_id from ${unnestColumns(columns)}
  returning id, event_id, channel_id
), known as (
  insert into known_event (delivery_id, event_id) select id, event_id from stored
)
insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason, unreachable_ms)
select id, channel_id, 0, now(), 'notification', ${unreachableUntilNow("stored.channel_id")} from stored`

/** Stores messages to operators as deferred deliveries. */
export async function notify(
  sql: Sql,
  messages: readonly { channel: string; eventId: string; body: Buffer }[],
): Promise<void> {
  await sql(
    ...named(statement, {
      id: messages.map(() => newDeliveryId()),
      event_id: messages.map(({ eventId }) => eventId),
      channel_id: messages.map(({ channel }) => channel),
      body: messages.map(({ body }) => body),
      body_sha256: messages.map(({ body }) => sha256(body)),
    }),
  )
}
