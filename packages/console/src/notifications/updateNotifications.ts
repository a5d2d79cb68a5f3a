import { createHash } from "node:crypto"
import {
  type NotificationEvent,
  newDeliveryId,
  notificationEventSchema,
  type OperatorNotification,
} from "@sitewire/contracts"
import { oneAtATime, type Pool, plainArray, type Sql, unreachableUntilNow } from "@sitewire/database"
import { newId } from "../newIds.ts"
import { describeNotification } from "./describeNotification.ts"
import { notificationKinds } from "./notificationKinds.ts"
import { notificationColumns as columns, type NotificationRow } from "./notificationRow.ts"

/** A problem that comes and goes is one notification: it is resolved if it was not seen for this long. */
const resolvedAfter = "5 minutes"
const deathsAreKept = "1 hour"

/** The key of the advisory lock that lets only one console update at a time, so that two cannot deadlock. */
const lockKey = 7_120_461

/**
 * Compares the stored notifications with the problems that exist now. A message to each channel with
 * `operator_notifications` is inserted in the same transaction, as a deferred delivery, so a crash loses none and
 * repeats none. Returns the rows that began or ended.
 */
export async function updateNotifications(pool: Pool): Promise<NotificationRow[]> {
  return (await oneAtATime(pool, lockKey, compare)) ?? []
}

async function compare(sql: Sql): Promise<NotificationRow[]> {
  await sql(
    `delete from ended_delivery
      where state = 'dead' and published_at is not null and ended_at < now() - interval '${deathsAreKept}'`,
  )
  const began: NotificationRow[] = []
  for (const event of notificationEventSchema.options) {
    const found = await sql<Found>(notificationKinds[event].find)
    if (found.length === 0) continue
    began.push(...(await storeFound(sql, event, found)))
  }
  const ended = await sql<NotificationRow>(
    `update notification set resolved_at = now()
      where resolved_at is null and seen_at < now() - interval '${resolvedAfter}' returning ${columns}`,
  )
  const changed = [...ended, ...began]
  if (changed.length > 0) await send(sql, changed)
  return changed
}

type Found = { subject_id: string; since: Date; details: object }

async function storeFound(
  sql: Sql,
  event: NotificationEvent,
  found: readonly Found[],
): Promise<NotificationRow[]> {
  const rows = await sql<NotificationRow & { began: boolean }>(
    `insert into notification (id, event, subject_id, since, details)
     select id, $1, subject_id, since, details from unnest($2::text[], $3::text[], $4::timestamptz[], $5::jsonb[])
       as found (id, subject_id, since, details)
     on conflict (event, subject_id) where resolved_at is null
       do update set seen_at = now(), details = excluded.details
     returning ${columns}, xmax = 0 as began`,
    [
      event,
      found.map(() => newId("ntf")),
      found.map(({ subject_id }) => subject_id),
      found.map(({ since }) => since.toISOString()),
      found.map(({ details }) => JSON.stringify(details)),
    ],
  )
  return rows.filter(({ began }) => began)
}

async function send(sql: Sql, changed: readonly NotificationRow[]): Promise<void> {
  const channels = await sql<{ id: string }>("select id from channel where operator_notifications")
  const messages = changed.flatMap((row) => {
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

function messageOf(row: NotificationRow): OperatorNotification {
  return {
    ...describeNotification(row),
    notification: row.id,
    created_at: (row.resolved_at ?? row.created_at).toISOString(),
  }
}
