import { plainArray, type Sql } from "@sitewire/database"
import { elapsedTime } from "./elapsedTime.ts"

/** `openForMs`: how long the circuit breaker of the channel has been open. */
export type OpenChannel = { channel: string; openForMs: number }

export type ExpiredDelivery = {
  id: string
  channel: string
  /** False: it was delivered before, and waits for a resend. */
  isPending: boolean
  deferredAt: Date
  attempts: number
  since: Date
  correlation: string
}

type Row = {
  id: string
  channel_id: string
  is_pending: boolean
  deferred_at: Date
  attempts: number
  since: Date
  correlation: string
}

/** One statement checks this many deliveries of a channel: those that were deferred first. */
const checkedPerChannel = 1_000

/** One statement claims this many, because each is published before the next ones. */
export const expiredAtOnce = 500

const free = "(lease_expires_at is null or lease_expires_at < now())"

// Rows are read before they are locked, so that only those that expire are written to. A row may change in between: it is
// then locked only if it is still in the same deferral and free.
const statement = `
with expired as materialized (
  select oldest.id, deferred_at
    from unnest($1::text[], $2::float8[]) as breaker (channel_id, open_for_ms)
    join channel on channel.id = breaker.channel_id and paused_at is null
   cross join lateral (
     select id, deferred_at, period_started_at from delivery
      where channel_id = breaker.channel_id and deferred_at is not null and ${free}
      order by deferred_at, id limit ${checkedPerChannel}) as oldest
   where ${elapsedTime} > $3::float8 * interval '1 millisecond'
   limit ${expiredAtOnce}
), locked as materialized (
  select delivery.id from expired join delivery using (id, deferred_at)
   where delivery.id = any (array(select id from expired)) and ${free}
     for update of delivery skip locked
)
update delivery set lease_expires_at = now() + $4::float8 * interval '1 millisecond'
 where id = any (array(select id from locked))
returning id, channel_id, state = 'pending' as is_pending, deferred_at, attempts,
  coalesce(period_started_at, deferred_at) as since, correlation`

/** Claims deferred deliveries whose retry period is over, of channels whose circuit breaker is open. */
export async function claimExpired(
  sql: Sql,
  breakers: readonly OpenChannel[],
  { periodMs, leaseMs }: { periodMs: number; leaseMs: number },
): Promise<ExpiredDelivery[]> {
  const rows = await sql<Row>(
    statement,
    [
      breakers.map(({ channel }) => channel),
      plainArray(breakers.map(({ openForMs }) => openForMs)),
      periodMs,
      leaseMs,
    ],
    "claim-expired",
  )
  return rows.map(({ channel_id: channel, is_pending: isPending, deferred_at: deferredAt, ...row }) => ({
    ...row,
    channel,
    isPending,
    deferredAt,
  }))
}
