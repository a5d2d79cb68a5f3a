import type { Sql } from "@sitewire/database"
import type { WaitingDelivery } from "./claimWaiting.ts"

// A process that was stopped since its claim changes nothing: the delivery may have been resent to a new channel with
// the same id.
//
// A delivery that waited for a resend, or that an attempt in flight has delivered since the claim, stays delivered.
const statement = `
update delivery
   set state = case state when 'pending' then 'dead' else state end,
       finished_at = case state when 'pending' then now() else finished_at end,
       dead_reason = case state when 'pending' then 'channel_deleted'::dead_reason else dead_reason end,
       next_attempt_at = null, deferred_at = null, deferred_reason = null, lease_expires_at = null,
       failures = null, period_started_at = null
  from unnest($1::uuid[], $2::timestamptz[]) as claimed (id, lease_expires_at)
 where delivery.id = claimed.id and delivery.lease_expires_at = claimed.lease_expires_at`

type Claimed = Pick<WaitingDelivery, "id" | "leaseExpiresAt">

/** Marks deliveries of a deleted channel as dead, and ends their resends. */
export async function endDeliveries(sql: Sql, claimed: readonly Claimed[]): Promise<void> {
  await sql(statement, [claimed.map(({ id }) => id), claimed.map(({ leaseExpiresAt }) => leaseExpiresAt)])
}
