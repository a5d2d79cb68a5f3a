import { plainArray, type Sql } from "@sitewire/database"

/** `leasedUntil` names the claim: nobody else's lease ends then. */
export type ClaimedDelivery = { id: string; leasedUntil: Date }

// A lease that has ended may have been followed by another dispatcher's, which must not be cut short.
const statement = `
update delivery set leased_until = null
  from unnest($1::uuid[], $2::float8[]) as claim (id, leased_until_ms)
 where delivery.id = claim.id and leased_until = to_timestamp(leased_until_ms / 1000)`

/** Gives claims back whose attempts were not made. The deliveries stay deferred, in their places. */
export async function releaseClaims(sql: Sql, batch: readonly ClaimedDelivery[]): Promise<void> {
  await sql(
    statement,
    [
      plainArray(batch.map(({ id }) => id)),
      plainArray(batch.map(({ leasedUntil }) => leasedUntil.getTime())),
    ],
    "release-claims",
  )
}
