import { plainArray, type Sql } from "@sitewire/database"

/** A delivery that became dead, whose dead letter is not published yet. */
export type DiedDelivery = {
  id: string
  diedAt: Date
  channel: string
  attempts: number
  since: Date
  error: string
  status: number | null
  correlation: string
  traceparent: string | null
  /** False: a dispatcher claimed it before, and did not finish. */
  isNew: boolean
}

// The claim is short-lived and not a lock, because a transaction must not last as long as an outage of Kafka.
const claim = `
with unpublished as materialized (
  select delivery_id, died_at, lease_expires_at is null as is_new from died_delivery
   where published_at is null and (lease_expires_at is null or lease_expires_at < now())
   order by died_at limit $1 for update skip locked
)
update died_delivery as died set lease_expires_at = now() + $2::float8 * interval '1 millisecond'
  from unpublished
 where died.delivery_id = unpublished.delivery_id and died.died_at = unpublished.died_at
returning died.delivery_id as id, died.died_at as "diedAt", channel_id as channel, attempts, since, error, status, correlation,
  traceparent, is_new as "isNew"`

/** Claims the oldest unpublished dead letters. */
export function claimDeadLetters(
  sql: Sql,
  { most, leaseMs }: { most: number; leaseMs: number },
): Promise<DiedDelivery[]> {
  return sql<DiedDelivery>(claim, [most, leaseMs], "claim-dead-letters")
}

const mark = `
update died_delivery as died set published_at = now()
  from unnest($1::uuid[], $2::float8[]) as published (delivery_id, died_at_ms)
 where died.delivery_id = published.delivery_id and died.died_at = to_timestamp(died_at_ms / 1000)`

export async function markPublished(sql: Sql, letters: readonly DiedDelivery[]): Promise<void> {
  await sql(
    mark,
    [plainArray(letters.map(({ id }) => id)), plainArray(letters.map(({ diedAt }) => diedAt.getTime()))],
    "mark-published",
  )
}
