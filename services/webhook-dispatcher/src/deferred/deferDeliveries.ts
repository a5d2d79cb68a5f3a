import { plainArray, type Sql, unreachableUntilNow } from "@sitewire/database"
import type { DeferralReason } from "../delivery.ts"
import { lockWaiting } from "../outcome/lockWaiting.ts"

export type Deferral = {
  id: string
  reason: DeferralReason
  attempt: number
  failures: number
  /** How much of the retry period is over; null if it has not started. */
  elapsedMs: number | null
}

// The conditions skip deliveries that have changed since they were read: another process made the attempt, an
// operator requested a resend, or an erasure ran.
const statement = `
with ${lockWaiting("$1")}, deferred as (
  update waiting_delivery
     set deferred_at = now(), deferred_reason = deferral.reason::deferral_reason, lease_expires_at = null, next_attempt_at = null,
         failures = deferral.failures, period_started_at = now() - deferral.elapsed_ms * interval '1 millisecond',
         unreachable_ms = ${unreachableUntilNow("waiting_delivery.channel_id")}
    from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::float8[])
      as deferral (id, reason, attempt, failures, elapsed_ms)
   where delivery_id = any (array(select delivery_id from waiting)) and delivery_id = deferral.id
     and deferred_at is null and attempts < deferral.attempt
)
select id from locked`

/**
 * Marks deliveries as deferred. The offsets of their Kafka records may be committed after that, because a
 * dispatcher will find the deferred rows and claim them. Returns those that are locked.
 */
export async function deferDeliveries(sql: Sql, batch: readonly Deferral[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    statement,
    [
      plainArray(batch.map(({ id }) => id)),
      plainArray(batch.map(({ reason }) => reason)),
      plainArray(batch.map(({ attempt }) => attempt)),
      plainArray(batch.map(({ failures }) => failures)),
      plainArray(batch.map(({ elapsedMs }) => elapsedMs)),
    ],
    "defer-deliveries",
  )
  return rows.map(({ id }) => id)
}
