import { plainArray, type Sql } from "@sitewire/database"

export type ClaimedDelivery = { id: string; deferredAt: Date }

// What ends the lease of another claim costs a second attempt at worst, and the time in the condition rules that out.
const statement = `
update delivery set leased_until = null
  from unnest($1::uuid[], $2::float8[]) as claim (id, deferred_at_ms)
 where delivery.id = claim.id and deferred_at = to_timestamp(deferred_at_ms / 1000)`

/** Gives claims back whose attempts were not made. The deliveries stay deferred, in their places. */
export async function releaseClaims(sql: Sql, batch: readonly ClaimedDelivery[]): Promise<void> {
  await sql(
    statement,
    [plainArray(batch.map(({ id }) => id)), plainArray(batch.map(({ deferredAt }) => deferredAt.getTime()))],
    "release-claims",
  )
}
