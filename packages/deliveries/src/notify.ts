import { newDeliveryId, sha256 } from "@sitewire/contracts"
import { plainArray, type Sql } from "@sitewire/database"
import { unreachableUntilNow } from "./elapsedTime.ts"

/** Stores messages to operators as deferred deliveries. */
export async function notify(
  sql: Sql,
  messages: readonly { channel: string; eventId: string; body: Buffer }[],
): Promise<void> {
  await sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
       select id, event_id, channel_id, body, body_sha256, event_id
         from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::bytea[])
           as message (id, event_id, channel_id, body, body_sha256)
       returning id, channel_id
     ), known as (
       insert into known_event (delivery_id, event_id) select * from unnest($1::uuid[], $2::text[])
     )
     insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason, unreachable_ms)
     select id, channel_id, 0, now(), 'notification',
            ${unreachableUntilNow("stored.channel_id")}
       from stored`,
    [
      plainArray(messages.map(() => newDeliveryId())),
      messages.map(({ eventId }) => eventId),
      messages.map(({ channel }) => channel),
      messages.map(({ body }) => body),
      messages.map(({ body }) => sha256(body)),
    ],
  )
}
