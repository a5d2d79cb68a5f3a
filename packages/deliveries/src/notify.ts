import { newDeliveryId, sha256 } from "@sitewire/contracts"
import { type Columns, columnValues, named, type Sql, unnestColumns } from "@sitewire/database"
import { unreachableUntilNow } from "./unreachable.ts"

type Message = { channel: string; eventId: string; body: Buffer }

const columns: Columns<Message> = {
  id: ["uuid", () => newDeliveryId()],
  event_id: ["text", ({ eventId }) => eventId],
  channel_id: ["text", ({ channel }) => channel],
  body: ["bytea", ({ body }) => body],
  body_sha256: ["bytea", ({ body }) => sha256(body)],
}
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
export async function notify(sql: Sql, messages: readonly Message[]): Promise<void> {
  await sql(...named(statement, columnValues(columns, messages)))
}
