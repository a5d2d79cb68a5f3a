import { createHash } from "node:crypto"
import {
  type NotificationEvent,
  newDeliveryId,
  notificationEventSchema,
  type OperatorNotification,
} from "@sitewire/contracts"
import { plainArray, type Sql } from "@sitewire/database"
import { unreachableUntilNow } from "@sitewire/deliveries"
import { describeProblem } from "./describeProblem.ts"
import type { ProblemRow } from "./problemRow.ts"

type Announced = ProblemRow & { kind: NotificationEvent }

function isAnnounced(row: ProblemRow): row is Announced {
  return notificationEventSchema.safeParse(row.kind).success
}

/** Inserts a message about each of these problems, for each channel with `operator_notifications`, as a deferred delivery. */
export async function notifyOperators(sql: Sql, changed: readonly ProblemRow[]): Promise<void> {
  const announced = changed.filter(isAnnounced)
  if (announced.length === 0) return
  const channels = await sql<{ id: string }>("select id from channel where operator_notifications")
  const messages = announced.flatMap((row) => {
    const message = messageOf(row)
    const body = Buffer.from(JSON.stringify(message))
    return channels.map(({ id: channel }) => ({
      channel,
      eventId: `${row.id}.${message.status}.${channel}`,
      body,
    }))
  })
  if (messages.length === 0) return
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
      messages.map(({ body }) => createHash("sha256").update(body).digest()),
    ],
  )
}

function messageOf(row: Announced): OperatorNotification {
  return {
    event: row.kind,
    status: row.resolved_at === null ? "firing" : "resolved",
    ...describeProblem(row),
    notification: row.id,
    created_at: (row.resolved_at ?? row.created_at).toISOString(),
  }
}
