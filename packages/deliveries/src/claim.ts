import type { RetryRecord } from "@sitewire/contracts"
import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import { type Channel, type ClaimedDelivery, channelColumns } from "./delivery.ts"
import { elapsedTime } from "./unreachable.ts"
import { firstOfChannels, isFree } from "./waiting.ts"

export type DeferredChannel = {
  channel: string
  paused: boolean
  /** When its oldest delivery that can be claimed was deferred: Unix time in ms, by Postgres's clock. */
  oldestMs: number
}

const deferredChannels = `
with recursive ${firstOfChannels("channel_id, deferred_at", `deferred_at is not null and ${isFree}`)}
select channel.id as channel, paused_at is not null as paused, extract(epoch from deferred_at)::float8 * 1000 as "oldestMs"
  from first join channel on channel.id = channel_id`

export function findDeferredChannels(sql: Sql): Promise<DeferredChannel[]> {
  return sql<DeferredChannel>(deferredChannels, [], "find-deferred-channels")
}

export type ClaimSettings = {
  /** How long a claim keeps other dispatchers from claiming the same deliveries. */
  leaseMs: number
  /** How long after the claim an attempt may start. */
  attemptWithinMs: number
}

/** `from`: what was deferred before (Unix time in ms, by Postgres's clock) is not read. */
export type ClaimRequest = { channel: string; limit: number; from: number }

type Row = Channel & {
  id: string
  event_id: string
  body: Buffer
  attempts: number
  failures: number | null
  elapsed_ms: number
  correlation: string
  traceparent: string | null
  deferred_at: Date | null
  lease_expires_at: Date
  start_in_ms: number
}

/** How far ahead starts of attempts are reserved for a channel with a maximum rate. */
export const reserveMs = 750

/** A record may be due before its delivery, because the broker's clock is ahead of Postgres's. What is due later waits for the poll. */
const aheadMs = 5_000

// With an array of ids, the plan never scans the table. The time by which a scheduled attempt is late is no part of its retry period.
const leaseClaimed = `
update waiting_delivery as waiting set lease_expires_at = now() + ($lease_ms::float8 + greatest(start_in_ms, 0)) * interval '1 millisecond'
  from claimed, channel left join unreachable_channel on unreachable_channel.channel_id = channel.id, delivery
 where waiting.delivery_id = any (array(select delivery_id from claimed)) and claimed.delivery_id = waiting.delivery_id
   and channel.id = waiting.channel_id and delivery.id = waiting.delivery_id
returning delivery.id, start_in_ms, event_id, body, waiting.attempts, failures, correlation, traceparent, deferred_at, lease_expires_at, waiting.channel_id, ${channelColumns},
  extract(epoch from case when deferred_at is not null then ${elapsedTime}
    else greatest(interval '0', least(now(), next_attempt_at) - period_started_at) end)::float8 * 1000 as elapsed_ms`

// A channel's maximum rate holds for all dispatchers together, because each claim reserves its starts in the row of channel_rate. A
// concurrent claim skips the channel. `next_at` is at most 1.75 s ahead: 750 ms and the interval between two starts. If it is later,
// Postgres's clock was set back.
const startAt =
  "greatest(excluded.start_at, least(channel_rate.next_at, excluded.start_at + interval '5 seconds'))"
const granted = `greatest(0, least(excluded.granted, ceil(excluded.per_second
  * extract(epoch from excluded.start_at + interval '${reserveMs} milliseconds' - ${startAt}))))::int`
const requestColumns: Columns<ClaimRequest> = {
  channel_id: ["text", ({ channel }) => channel],
  most: ["int", ({ limit }) => limit],
  from_ms: ["float8", ({ from }) => from],
}
const deferred = defineStatement<Row>(
  "claim-deferred",
  `
with rate as materialized (
  select channel_id from channel_rate where channel_id = any ($channel_id::text[]) order by channel_id for update skip locked
), candidate as materialized (
  select requested.channel_id, max_per_second, picked.delivery_id, picked.deferred_at
    from ${unnestColumns(requestColumns, "requested")}
    join channel on channel.id = requested.channel_id and paused_at is null
     and (max_per_second is null or channel.id = any (array(select channel_id from rate))
       or not exists (select from channel_rate where channel_rate.channel_id = channel.id))
   cross join lateral (
     select delivery_id, deferred_at from waiting_delivery
      where channel_id = requested.channel_id and deferred_at >= to_timestamp(from_ms / 1000) and ${isFree}
      order by deferred_at, delivery_id limit requested.most for update skip locked) as picked
), reserved as (
  insert into channel_rate (channel_id, per_second, granted, start_at, next_at)
  select channel_id, max_per_second, granted, clock_timestamp(), clock_timestamp() + granted * interval '1 second' / max_per_second
    from (select channel_id, max_per_second, least(count(*), ceil(max_per_second * ${reserveMs} / 1000.0))::int as granted
            from candidate where max_per_second is not null group by channel_id, max_per_second order by channel_id) as fresh
  on conflict (channel_id) do update set
    per_second = excluded.per_second,
    start_at = ${startAt},
    granted = ${granted},
    next_at = ${startAt} + ${granted} * interval '1 second' / excluded.per_second
  returning channel_id, granted, start_at
), claimed as materialized (
  select delivery_id, coalesce(extract(epoch from start_at - (select clock_timestamp())) * 1000 + position * 1000.0 / max_per_second, 0)::float8
               as start_in_ms
    from (select *, row_number() over (partition by channel_id order by deferred_at, delivery_id) - 1 as position from candidate) as ordered
    left join reserved using (channel_id)
   where max_per_second is null or position < granted
)${leaseClaimed}`,
)

export async function claimDeferred(
  sql: Sql,
  requests: readonly ClaimRequest[],
  settings: ClaimSettings,
): Promise<ClaimedDelivery[]> {
  const values = columnValues(requestColumns, requests)
  return claim(settings, () => deferred(sql, { ...values, lease_ms: settings.leaseMs }))
}

// The attempt's number excludes records that were repeated, or whose delivery was attempted meanwhile.
const wakeColumns: Columns<RetryRecord> = {
  id: ["uuid", ({ delivery }) => delivery],
  attempt: ["int", ({ attempt }) => attempt],
}
const scheduled = defineStatement<Row>(
  "claim-scheduled",
  `
with claimed as materialized (
  select delivery_id, extract(epoch from greatest(interval '0', next_attempt_at - clock_timestamp()))::float8 * 1000 as start_in_ms
    from waiting_delivery join ${unnestColumns(wakeColumns, "woken")} on id = delivery_id
   where delivery_id = any ($id::uuid[]) and attempts = attempt - 1
     and next_attempt_at <= now() + interval '${aheadMs} milliseconds' and ${isFree}
   order by delivery_id for update of waiting_delivery skip locked
)${leaseClaimed}`,
)

/** Claims those of the deliveries for which this attempt is scheduled, and due. Ids must be unique. */
export async function claimScheduled(
  sql: Sql,
  wakes: readonly RetryRecord[],
  settings: ClaimSettings,
): Promise<ClaimedDelivery[]> {
  const values = columnValues(wakeColumns, wakes)
  return claim(settings, () => scheduled(sql, { ...values, lease_ms: settings.leaseMs }))
}

async function claim(
  { attemptWithinMs }: ClaimSettings,
  execute: () => Promise<Row[]>,
): Promise<ClaimedDelivery[]> {
  const claimedAt = performance.now()
  const rows = await execute()
  // Measured after the response, so that no attempt starts before its time by Postgres's clock.
  const answeredAt = performance.now()
  return rows.toSorted(byDeferral).map((row) => ({
    id: row.id,
    eventId: row.event_id,
    channel: row,
    body: row.body,
    attempt: row.attempts + 1,
    failures: row.failures ?? 0,
    since: performance.now() - row.elapsed_ms,
    correlation: row.correlation,
    traceparent: row.traceparent,
    unstored: null,
    claim: {
      deferredAt: row.deferred_at,
      leaseExpiresAt: row.lease_expires_at,
      startAt: answeredAt + Math.max(0, row.start_in_ms),
      attemptBefore: claimedAt + Math.max(0, row.start_in_ms) + attemptWithinMs,
    },
  }))
}

function byDeferral(a: Row, b: Row): number {
  return (a.deferred_at?.getTime() ?? 0) - (b.deferred_at?.getTime() ?? 0) || (a.id < b.id ? -1 : 1)
}
