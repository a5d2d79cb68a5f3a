import { plainArray, type Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns, type DueDelivery, toChannel } from "../delivery.ts"

export type ClaimSettings = {
  /** For how long nobody else claims them, in milliseconds. */
  leaseMs: number
  /** How long after the claim an attempt may begin, in milliseconds. */
  attemptWithinMs: number
}

/** How many to claim of a channel, at most. */
export type ClaimRequest = { channel: string; most: number }

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

// `for update skip locked`: dispatchers that claim at the same moment share the deliveries out. A row that another one has just
// claimed is checked again in its newest version, whose lease is not over.
//
// The time since the deferral does not count towards the retry period, unless the breaker was open.
//
// The claimed ids are an array, so that the plan looks each of them up and never walks the table.
const statement = `
with claimed as materialized (
  select picked.id
    from unnest($1::text[], $2::int[]) as wanted (channel_id, most)
    join channel on channel.id = wanted.channel_id and paused_at is null
   cross join lateral (
     select id from delivery
      where channel_id = wanted.channel_id and deferred_at is not null
        and (lease_expires_at is null or lease_expires_at < now())
      order by deferred_at, id limit wanted.most for update skip locked) as picked
)
update delivery set lease_expires_at = now() + $3::float8 * interval '1 millisecond'
  from channel
 where delivery.id = any (array(select id from claimed)) and channel.id = delivery.channel_id
returning delivery.id, event_id, body, attempts, failures, correlation, deferred_at, lease_expires_at, channel_id, ${channelColumns},
  extract(epoch from case deferred_reason when 'breaker' then now() else deferred_at end - period_started_at)::float8 * 1000
    as elapsed_ms`

/**
 * Claims deferred deliveries of channels with capacity, those that were deferred first. The number of the attempt is assigned
 * here, under the row's lock.
 */
export async function claimDeferred(
  sql: Sql,
  wanted: readonly ClaimRequest[],
  { leaseMs, attemptWithinMs }: ClaimSettings,
): Promise<DueDelivery[]> {
  const attemptBefore = performance.now() + attemptWithinMs
  const rows = await sql<Row>(
    statement,
    [wanted.map(({ channel }) => channel), plainArray(wanted.map(({ most }) => most)), leaseMs],
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
