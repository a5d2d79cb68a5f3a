import type { IncidentKind } from "@sitewire/contracts"
import { failureText, mostWaitingCounted } from "@sitewire/contracts/partnerMessage"
import type { Sql } from "@sitewire/database"
import {
  countDead,
  type DeadOfChannel,
  dispatcherIsRunning,
  isListed,
  readAllDead,
} from "../channels/deadDeliveries.ts"
import { describeSyncError } from "../connections/describeSyncError.ts"
import { errorClass } from "../deliveries/deliveryResponse.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"
import type { Found } from "./incidentRow.ts"

const connectionFailsFor = "2 minutes"
/** So many failing connections are read, in the order of their ids. */
const mostFailing = 1_000_000
const certificateExpiresWithin = "14 days"
const rotationTakes = "7 days"
/** Of the overdue attempts and syncs, so many are read, from the oldest on. */
const mostOverdue = 1_000

/** The kinds that only need `subject_id`, `since` and `details`. */
const statements = {
  "certificate.expiring": `
    select channel.id as subject_id, expires_at - interval '${certificateExpiresWithin}' as since,
           jsonb_build_object('expires_at', to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as details
      from receiver_certificate
      join channel on substring(address from '^https://[^/?#]+') = origin
     where expires_at < now() + interval '${certificateExpiresWithin}'`,
  "rotation.unfinished": `
    select id as subject_id, other_secret_since as since, jsonb_build_object('state', other_secret_state::text) as details
      from channel
     where other_secret_id is not null and other_secret_since < now() - interval '${rotationTakes}'`,
  "channel.paused":
    "select id as subject_id, paused_at as since, '{}'::jsonb as details from channel where paused_at is not null",
  "delivery.overdue": `
    select 'deliveries' as subject_id, min(next_attempt_at) as since,
           jsonb_build_object('waiting', count(*), 'channel', (array_agg(channel_id order by next_attempt_at))[1]) as details
      from (select next_attempt_at, channel_id from waiting_delivery
             where next_attempt_at < now() - interval '1 minute'
             order by next_attempt_at limit ${mostOverdue}) as overdue
    having count(*) > 0`,
  "sync.overdue": `
    select 'syncs' as subject_id, min(due_at) as since, jsonb_build_object('syncs', count(*)) as details
      from (select due_at from sync_window
             where due_at < now() - interval '1 minute' and waiting_for_host is null
             order by due_at limit ${mostOverdue}) as overdue
    having count(*) > 0`,
  // The last dispatcher that stops leaves its row, which says since when there is none.
  "dispatcher.missing": `
    select 'dispatchers' as subject_id, max(seen_at) as since, '{}'::jsonb as details from dispatcher
    having count(*) filter (where ${dispatcherIsRunning}) = 0 and count(*) > 0`,
} satisfies Partial<Record<IncidentKind, string>>

/** Everything that rows tell. What a process remembers, such as an open circuit breaker, would end with it. */
export async function findInPostgres(sql: Sql): Promise<Map<IncidentKind, Found[]>> {
  const dead = await findDead(sql)
  const found = new Map<IncidentKind, Found[]>([
    ["channel.failing", await findFailing(sql, new Map(dead.map(({ id, count }) => [id, count])))],
    [
      "delivery.dead",
      dead.map(({ id, count, since }) => ({ subject_id: id, since, details: { dead: count } })),
    ],
    ["connection.failing", await findFailingSources(sql)],
  ])
  for (const [kind, statement] of Object.entries(statements))
    found.set(kind as keyof typeof statements, await sql<Found>(statement))
  return found
}

async function findFailing(sql: Sql, dead: ReadonlyMap<string, number>): Promise<Found[]> {
  const rows = await sql<{
    id: string
    since: Date
    last_error: string
    last_status: number | null
    last_detail: string | null
    waiting: number
  }>(`
    select channel.id, since, last_error, last_status, last_detail, waiting.count as waiting
      from channel_failure join channel on channel.id = channel_id
     cross join lateral (
       select count(*)::int as count
         from (select from waiting_delivery where channel_id = channel.id limit ${mostWaitingCounted}) as counted) as waiting
     where ${isListed}`)
  return rows.map(({ id, since, last_error: error, last_status: status, last_detail: detail, waiting }) => {
    const reason = failureText({ error: errorClass(error), status, detail: detail && maskEmails(detail) })
    return { subject_id: id, since, details: { reason, waiting, dead: dead.get(id) ?? 0 } }
  })
}

/** Of the connections of a host, one is the example. */
async function findFailingSources(sql: Sql): Promise<Found[]> {
  const hosts = await sql<{
    subject_id: string
    since: Date
    connections: number
    connection: string
    last_error: string | null
    last_status: number | null
  }>(`
    select source_host as subject_id, since, connections, connection, last_error, last_status
      from (select source_host, min(failing_since) as since, count(*)::int as connections, min(id) as connection
              from (select connection_id, failing_since from sync_window
                     where failing_since < now() - interval '${connectionFailsFor}'
                     order by connection_id limit ${mostFailing}) as failing
              join connection on connection.id = connection_id
             group by source_host) as host
      join sync_window on connection_id = connection
     order by source_host`)
  return hosts.map(({ subject_id, since, last_error, last_status, ...details }) => {
    const reason = describeSyncError(last_error, last_status)?.reason ?? null
    return { subject_id, since, details: { ...details, reason } }
  })
}

/** Channels of the newest dead deliveries, and those of open incidents whose dead deliveries are older. */
async function findDead(sql: Sql): Promise<DeadOfChannel[]> {
  const newest = await readAllDead(sql)
  const open = await sql<{ id: string; since: Date }>(
    `select channel.id, since from incident join channel on channel.id = subject_id
      where kind = 'delivery.dead' and resolved_at is null and subject_id <> all ($1)`,
    [newest.map(({ id }) => id)],
  )
  const counts = await countDead(
    sql,
    open.map(({ id }) => id),
  )
  const older = open.map((one, index) => ({ ...one, count: counts[index]?.count ?? 0 }))
  return [...newest, ...older.filter(({ count }) => count > 0)]
}
