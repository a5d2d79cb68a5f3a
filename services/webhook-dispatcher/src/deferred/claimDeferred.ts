import { plainArray, type Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns, type DueDelivery, toChannel } from "../delivery.ts"

export type ClaimSettings = {
  /** How long a claim keeps other dispatchers from claiming the same deliveries. */
  leaseMs: number
  /** How long after the claim an attempt may start. */
  attemptWithinMs: number
}

export type ClaimRequest = { channel: string; limit: number }

type Row = ChannelRow & {
  id: string
  event_id: string
  body: Buffer
  attempts: number
  failures: number | null
  elapsed_ms: number | null
  correlation: string
  deferred_at: Date
  lease_expires_at: Date
}

// With `for update skip locked`, concurrent claims get different rows. If another claim was committed just
// now, Postgres checks the row's new version, and skips it because of its lease.
//
// The time since the deferral counts towards the retry period only if its reason is `breaker`.
//
// The ids are an array, so that the plan looks up each id and never scans the table.
const statement = `
with claimed as materialized (
  select picked.id
    from unnest($1::text[], $2::int[]) as requested (channel_id, most)
    join channel on channel.id = requested.channel_id and paused_at is null
   cross join lateral (
     select id from delivery
      where channel_id = requested.channel_id and deferred_at is not null
        and (lease_expires_at is null or lease_expires_at < now())
      order by deferred_at, id limit requested.most for update skip locked) as picked
)
update delivery set lease_expires_at = now() + $3::float8 * interval '1 millisecond'
  from channel
 where delivery.id = any (array(select id from claimed)) and channel.id = delivery.channel_id
returning delivery.id, event_id, body, attempts, failures, correlation, deferred_at, lease_expires_at, channel_id, ${channelColumns},
  extract(epoch from case deferred_reason when 'breaker' then now() else deferred_at end - period_started_at)::float8 * 1000
    as elapsed_ms`

/** Claims the deliveries that were deferred first. */
export async function claimDeferred(
  sql: Sql,
  requests: readonly ClaimRequest[],
  { leaseMs, attemptWithinMs }: ClaimSettings,
): Promise<DueDelivery[]> {
  const attemptBefore = performance.now() + attemptWithinMs
  const rows = await sql<Row>(
    statement,
    [requests.map(({ channel }) => channel), plainArray(requests.map(({ limit }) => limit)), leaseMs],
    "claim-deferred",
  )
  return rows.toSorted(byDeferral).map((row) => ({
    id: row.id,
    eventId: row.event_id,
    channel: toChannel(row),
    body: row.body,
    attempt: row.attempts + 1,
    failures: row.failures ?? 0,
    since: new Date(Date.now() - (row.elapsed_ms ?? 0)).toISOString(),
    correlation: row.correlation,
    claim: { deferredAt: row.deferred_at, leaseExpiresAt: row.lease_expires_at, attemptBefore },
  }))
}

function byDeferral(a: Row, b: Row): number {
  return a.deferred_at.getTime() - b.deferred_at.getTime() || (a.id < b.id ? -1 : 1)
}
