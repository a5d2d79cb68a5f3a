import { plainArray, type Sql } from "@sitewire/database"
import type { DeferralReason } from "../delivery.ts"

export type Deferral = {
  id: string
  reason: DeferralReason
  /** Number of the attempt that was not made. */
  attempt: number
  failures: number
  /** How much of the retry period is over, in milliseconds; null where it begins with the next attempt. */
  elapsedMs: number | null
}

// Only a delivery that its record still carries is deferred. Another process may have made the attempt, an operator may have
// asked for a resend, an erasure may have run since the row was read. All times in the row are by the database's clock.
const statement = `
update delivery
   set deferred_at = now(), deferred_reason = deferral.reason::deferral_reason, lease_expires_at = null, next_attempt_at = null,
       failures = deferral.failures, period_started_at = now() - deferral.elapsed_ms * interval '1 millisecond'
  from unnest($1::uuid[], $2::text[], $3::int[], $4::int[], $5::float8[])
    as deferral (id, reason, attempt, failures, elapsed_ms)
 where delivery.id = deferral.id and deferred_at is null and attempts < deferral.attempt
   and (state = 'pending' or state = 'delivered' and next_attempt_at is not null)`

/** Defers deliveries in their rows, which carry them from then on: their records may be committed. */
export async function deferDeliveries(sql: Sql, batch: readonly Deferral[]): Promise<void> {
  await sql(
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
}
