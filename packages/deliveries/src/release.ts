import type { DeferralReason } from "@sitewire/contracts"
import { defineStatement, plainArray, type Sql, unnestColumns } from "@sitewire/database"
import { unreachableUntilNow } from "./elapsedTime.ts"
import { lockWaiting } from "./lockWaiting.ts"

/** `leaseExpiresAt` identifies the claim. */
export type Release = { id: string; leaseExpiresAt: Date; reason: DeferralReason }

// After this claim's lease has ended, another dispatcher may have claimed the row. That claim must stay.
//
// What was woken a little before its time stays scheduled: if it were deferred, it would be attempted early.
//
// A deferred delivery keeps its deferral, and with it its place among those of its channel. The time by which a scheduled one was late
// does not count towards its retry period, so the start of the period moves forward by it.
const ifDue = (column: string, value: string) =>
  `${column} = case when next_attempt_at > now() then ${column} else ${value} end`
const columns = { id: "uuid", lease_expires_at_ms: "float8", reason: "text" }
const statement = defineStatement<Record<keyof typeof columns, unknown>, { id: string }>(
  "release-claims",
  `
with ${lockWaiting("$id")}, released as (
  update waiting_delivery
     set lease_expires_at = null, ${ifDue("deferred_at", "coalesce(deferred_at, now())")}, ${ifDue("next_attempt_at", "null")},
         ${ifDue("deferred_reason", "coalesce(deferred_reason, claim.reason::deferral_reason)")},
         ${ifDue("unreachable_ms", `case when deferred_at is null then ${unreachableUntilNow("waiting_delivery.channel_id")} else unreachable_ms end`)},
         period_started_at = period_started_at + greatest(interval '0', coalesce(now() - next_attempt_at, interval '0'))
    from ${unnestColumns(columns, "claim")}
   where delivery_id = any (array(select delivery_id from waiting)) and delivery_id = claim.id
     and lease_expires_at = to_timestamp(lease_expires_at_ms / 1000)
)
select id from locked`,
)

/**
 * Ends claims whose attempts were not made: the deliveries are deferred, for this reason if they were due. Returns those whose
 * rows are locked.
 */
export async function releaseClaims(sql: Sql, batch: readonly Release[]): Promise<string[]> {
  const rows = await statement(sql, {
    id: plainArray(batch.map(({ id }) => id)),
    lease_expires_at_ms: plainArray(batch.map(({ leaseExpiresAt }) => leaseExpiresAt.getTime())),
    reason: plainArray(batch.map(({ reason }) => reason)),
  })
  return rows.map(({ id }) => id)
}
