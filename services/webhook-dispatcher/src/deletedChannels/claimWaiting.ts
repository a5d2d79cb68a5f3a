import { type Sql, waitingDeliveries } from "@sitewire/database"

export type WaitingDelivery = {
  id: string
  /** Identifies the claim. */
  leaseExpiresAt: string
  channel: string
  isPending: boolean
  attempts: number
  since: Date
  correlation: string
}

type Row = {
  id: string
  lease_expires_at: string
  channel_id: string
  is_pending: boolean
  attempts: number
  since: Date
  correlation: string
}

const free = "(lease_expires_at is null or lease_expires_at < now())"

// Deliveries with a lease may have an attempt in flight. They are claimed when the lease has ended.
const statement = `
with waiting as (${waitingDeliveries(free)}), claimed as materialized (
  select id from delivery
   where id = any (array(select id from waiting limit $2)) and ${free}
     for update skip locked
)
update delivery set lease_expires_at = now() + $3::float8 * interval '1 millisecond'
 where id = any (array(select id from claimed))
returning id, channel_id, lease_expires_at::text as lease_expires_at, state = 'pending' as is_pending, attempts, correlation,
  coalesce(period_started_at, created_at) as since`

/** Claims deliveries of a deleted channel that still wait for an attempt. */
export async function claimWaiting(
  sql: Sql,
  channel: string,
  { batch, leaseMs }: { batch: number; leaseMs: number },
): Promise<WaitingDelivery[]> {
  const rows = await sql<Row>(statement, [channel, batch, leaseMs])
  return rows.map(
    ({ channel_id: channel, is_pending: isPending, lease_expires_at: leaseExpiresAt, ...row }) => ({
      ...row,
      channel,
      isPending,
      leaseExpiresAt,
    }),
  )
}
