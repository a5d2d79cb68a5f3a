import type { DeferralReason } from "@sitewire/contracts"
import { defineStatement, plainArray, type Sql, unnestColumns } from "@sitewire/database"
import { lockWaiting } from "./lockWaiting.ts"
import { unreachableUntilNow } from "./unreachable.ts"

/** `leaseExpiresAt` identifies the claim. */
export type Release = { id: string; leaseExpiresAt: Date; reason: DeferralReason }

/**
 * SQL that defers a delivery whose time has come, and changes no other: what was woken a little before its time would be attempted
 * early, and what is deferred keeps its place among those of its channel. The time by which the delivery is late does not
 * count towards its retry period, so the start of the period moves forward by it.
 */
export const deferIfDue = (reason: string) =>
  Object.entries({
    deferred_at: "now()",
    deferred_reason: reason,
    next_attempt_at: "null",
    period_started_at: "period_started_at + (now() - next_attempt_at)",
    unreachable_ms: unreachableUntilNow("waiting_delivery.channel_id"),
  })
    .map(
      ([column, value]) => `${column} = case when next_attempt_at <= now() then ${value} else ${column} end`,
    )
    .join(",\n         ")

const columns = { id: "uuid", lease_expires_at_ms: "float8", reason: "text" }
// After this claim's lease has ended, another dispatcher may have claimed the row. That claim must stay.
const statement = defineStatement<Record<keyof typeof columns, unknown>, { id: string }>(
  "release-claims",
  `
with ${lockWaiting("$id")}, released as (
  update waiting_delivery
     set lease_expires_at = null, ${deferIfDue("claim.reason::deferral_reason")}
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
