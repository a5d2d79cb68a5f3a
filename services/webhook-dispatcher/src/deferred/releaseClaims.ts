import { plainArray, type Sql } from "@sitewire/database"

/** `leaseExpiresAt` identifies the claim. */
export type ClaimedDelivery = { id: string; leaseExpiresAt: Date }

// After this claim's lease has ended, another dispatcher may have claimed the row. That claim must stay.
const statement = `
update waiting_delivery set lease_expires_at = null
  from unnest($1::uuid[], $2::float8[]) as claim (delivery_id, lease_expires_at_ms)
 where waiting_delivery.delivery_id = claim.delivery_id and lease_expires_at = to_timestamp(lease_expires_at_ms / 1000)`

/** Releases claims whose attempts were not made. */
export async function releaseClaims(sql: Sql, batch: readonly ClaimedDelivery[]): Promise<void> {
  await sql(
    statement,
    [
      plainArray(batch.map(({ id }) => id)),
      plainArray(batch.map(({ leaseExpiresAt }) => leaseExpiresAt.getTime())),
    ],
    "release-claims",
  )
}
