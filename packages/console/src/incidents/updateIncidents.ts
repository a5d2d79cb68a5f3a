import {
  type IncidentKind,
  type NotificationEvent,
  notificationEventSchema,
  type OperatorNotification,
} from "@sitewire/contracts"
import { oneAtATime, type Pool, type Sql } from "@sitewire/database"
import { notify } from "@sitewire/deliveries"
import { newId } from "../newIds.ts"
import { describeIncident } from "./describeIncident.ts"
import { findInPostgres } from "./findInPostgres.ts"
import { incidentKinds } from "./incidentKinds.ts"
import {
  incidentColumns as columns,
  type Found,
  type FoundNow,
  type IncidentRow,
  mostOpen,
  others,
} from "./incidentRow.ts"

/** An incident that returns within this time after its end is the same one. */
const closedAfter = "5 minutes"
const largestInteger = 2 ** 31 - 1

/** The key of the advisory lock that lets only one console update at a time, so that two cannot deadlock. */
const lockKey = 7_120_461

/**
 * Compares the stored incidents with those that exist now: what rows tell, and what was `found` elsewhere. The messages to operators
 * are inserted in the same transaction, so a crash loses none and repeats none. Returns the rows that began or were closed.
 */
export async function updateIncidents(pool: Pool, found: FoundNow): Promise<IncidentRow[]> {
  return (await oneAtATime(pool, lockKey, (sql) => compare(sql, found))) ?? []
}

async function compare(sql: Sql, elsewhere: FoundNow): Promise<IncidentRow[]> {
  const now: FoundNow = new Map([...elsewhere, ...(await findInPostgres(sql))])
  const began: IncidentRow[] = []
  for (const [kind, found] of now)
    if (found.length > 0) began.push(...(await storeFound(sql, kind, await limit(sql, kind, found))))
  const closed = await endOthers(sql, [...now.keys()])
  const changed = [...closed, ...began]
  await notifyOperators(sql, changed)
  return changed
}

/**
 * Ends the incidents of these kinds that were not found: a channel's when an attempt or a test succeeded, others when they were seen
 * last. Returns those that are over for so long that they are closed.
 */
async function endOthers(sql: Sql, kinds: IncidentKind[]): Promise<IncidentRow[]> {
  await sql(
    `update incident
        set resolved_at = greatest(since, coalesce((
              select ended_at from channel_failure where kind = 'channel.failing' and channel_id = subject_id), seen_at))
      where resolved_at is null and seen_at <> now()::timestamptz(3) and kind = any ($1)`,
    [kinds],
  )
  return sql<IncidentRow>(
    `update incident set closed_at = now()
      where closed_at is null and resolved_at is not null and seen_at < now() - interval '${closedAfter}' returning ${columns}`,
  )
}

/**
 * At most `mostOpen` incidents of a kind are stored at a time, so that a thousand bad channels do not make a thousand
 * rows and messages. Those that are open stay, then come the oldest. The others are one incident.
 */
async function limit(sql: Sql, kind: IncidentKind, found: readonly Found[]): Promise<Found[]> {
  const rows = await sql<{ subject_id: string }>(
    "select subject_id from incident where kind = $1 and closed_at is null and subject_id <> $2",
    [kind, others],
  )
  const open = new Set(rows.map(({ subject_id }) => subject_id))
  const isOpen = ({ subject_id }: Found) => open.has(subject_id)
  const oldestFirst = found
    .filter((one) => !isOpen(one))
    .toSorted((a, b) => a.since.getTime() - b.since.getTime())
  const free = Math.max(0, mostOpen - open.size)
  const [oldest, ...more] = oldestFirst.slice(free)
  const together = oldest
    ? [{ subject_id: others, since: oldest.since, details: { incidents: more.length + 1 } }]
    : []
  return [...found.filter(isOpen), ...oldestFirst.slice(0, free), ...together]
}

async function storeFound(sql: Sql, kind: IncidentKind, found: readonly Found[]): Promise<IncidentRow[]> {
  const rows = await sql<IncidentRow & { began: boolean }>(
    `insert into incident as stored (id, kind, subject_id, since, details, max_count)
     select id, $1, subject_id, since, details, count
       from unnest($2::text[], $3::text[], $4::timestamptz[], $5::jsonb[], $6::integer[])
         as found (id, subject_id, since, details, count)
     on conflict (kind, subject_id) where closed_at is null
       do update set seen_at = now(), resolved_at = null, details = excluded.details,
                     max_count = greatest(stored.max_count, excluded.max_count)
     returning ${columns}, xmax = 0 as began`,
    [
      kind,
      found.map(() => newId("inc")),
      found.map(({ subject_id }) => subject_id),
      found.map(({ since }) => since.toISOString()),
      found.map(({ details }) => JSON.stringify(details)),
      found.map((one) => countOf(kind, one)),
    ],
  )
  return rows.filter(({ began }) => began)
}

function countOf(kind: IncidentKind, { subject_id, details }: Found): number | null {
  const count = details[subject_id === others ? "incidents" : (incidentKinds[kind].counted ?? "")]
  return typeof count === "number" ? Math.min(count, largestInteger) : null
}

type Announced = IncidentRow & { kind: NotificationEvent }

function isAnnounced(row: IncidentRow): row is Announced {
  return notificationEventSchema.safeParse(row.kind).success
}

/** Inserts a message about each of these incidents, for each channel with `operator_notifications`, as a deferred delivery. */
async function notifyOperators(sql: Sql, changed: readonly IncidentRow[]): Promise<void> {
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
  if (messages.length > 0) await notify(sql, messages)
}

function messageOf(row: Announced): OperatorNotification {
  return {
    event: row.kind,
    status: row.resolved_at === null ? "firing" : "resolved",
    ...describeIncident(row),
    notification: row.id,
    created_at: (row.resolved_at ?? row.created_at).toISOString(),
  }
}
