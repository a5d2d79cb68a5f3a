import type { DeferralReason } from "@sitewire/contracts"
import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import { deferIfDue, lockWaiting } from "./waiting.ts"

/** `leaseExpiresAt` identifies the claim. */
export type Release = { id: string; leaseExpiresAt: Date; reason: DeferralReason }

const columns: Columns<Release> = {
  id: ["uuid", ({ id }) => id],
  lease_expires_at_ms: ["float8", ({ leaseExpiresAt }) => leaseExpiresAt.getTime()],
  reason: ["word", ({ reason }) => reason],
}
// A claim of another dispatcher, which began when this one's lease had ended, stays.
const statement = defineStatement<{ id: string }>(
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

/** Ends claims whose attempts were not made. Returns the deliveries that are locked. */
export async function releaseClaims(sql: Sql, batch: readonly Release[]): Promise<string[]> {
  const rows = await statement(sql, columnValues(columns, batch))
  return rows.map(({ id }) => id)
}
