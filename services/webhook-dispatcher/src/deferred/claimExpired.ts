import { plainArray, type Sql } from "@sitewire/database"

export type OpenBreaker = { channel: string; openForMs: number }

export type ExpiredDelivery = {
  id: string
  channel: string
  deferredAt: Date
  attempts: number
  since: Date
  correlation: string
}

type Row = {
  id: string
  channel_id: string
  deferred_at: Date
  attempts: number
  since: Date
  correlation: string
}

/** One statement checks this many deliveries of a channel: those that were deferred first. */
const checkedPerChannel = 1_000

// The retry period counts the time until the deferral, plus the time for which the breaker has been open. If
// the breaker was the reason for the deferral, it has been open since the deferral, otherwise since it opened
// in this process. A pause does not count, so the time before the last resume is excluded.
const statement = `
with expired as materialized (
  select picked.id
    from unnest($1::text[], $2::float8[]) as breaker (channel_id, open_for_ms)
    join channel on channel.id = breaker.channel_id and paused_at is null
   cross join lateral (
     select id from (
       select id, deferred_at, deferred_reason, period_started_at from delivery
        where channel_id = breaker.channel_id and deferred_at is not null
          and (lease_expires_at is null or lease_expires_at < now())
        order by deferred_at, id limit ${checkedPerChannel} for update skip locked) as oldest
      where coalesce(deferred_at - period_started_at, interval '0')
            + (now() - greatest(deferred_at, channel.resumed_at,
                case deferred_reason when 'breaker' then null
                     else now() - open_for_ms * interval '1 millisecond' end))
            > $3::float8 * interval '1 millisecond') as picked
)
update delivery set lease_expires_at = now() + $4::float8 * interval '1 millisecond'
 where id = any (array(select id from expired))
returning id, channel_id, deferred_at, attempts, coalesce(period_started_at, deferred_at) as since, correlation`

export async function claimExpired(
  sql: Sql,
  breakers: readonly OpenBreaker[],
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
  return rows.map(({ id, channel_id: channel, deferred_at: deferredAt, attempts, since, correlation }) => ({
    id,
    channel,
    deferredAt,
    attempts,
    since,
    correlation,
  }))
}
