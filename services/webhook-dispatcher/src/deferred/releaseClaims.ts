import { plainArray, type Sql } from "@sitewire/database"
import { lockWaiting } from "../outcome/lockWaiting.ts"

/** `leaseExpiresAt` identifies the claim. */
export type ClaimedDelivery = { id: string; leaseExpiresAt: Date }

// After this claim's lease has ended, another dispatcher may have claimed the row. That claim must stay.
const statement = `
with ${lockWaiting("$1")}, released as (
  update waiting_delivery set lease_expires_at = null
    from unnest($1::uuid[], $2::float8[]) as claim (id, lease_expires_at_ms)
   where delivery_id = any (array(select delivery_id from waiting)) and delivery_id = claim.id
     and lease_expires_at = to_timestamp(lease_expires_at_ms / 1000)
)
select id from locked`

/** Releases claims whose attempts were not made. Returns the deliveries whose rows are locked. */
export async function releaseClaims(sql: Sql, batch: readonly ClaimedDelivery[]): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    statement,
    [
      plainArray(batch.map(({ id }) => id)),
      plainArray(batch.map(({ leaseExpiresAt }) => leaseExpiresAt.getTime())),
    ],
    "release-claims",
  )
  return rows.map(({ id }) => id)
}
