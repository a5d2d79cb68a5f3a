import { plainArray, type Sql } from "@sitewire/database"

// If a resend was requested since the claim, the row has another `deferred_at` and stays deferred. If a
// resend expires, a delivery that was delivered before stays delivered.
const statement = `
update delivery
   set state = case state when 'pending' then 'dead' else state end,
       finished_at = case state when 'pending' then now() else finished_at end,
       deferred_at = null, deferred_reason = null, lease_expires_at = null, failures = null, period_started_at = null
  from unnest($1::uuid[], $2::float8[]) as expired (id, deferred_at_ms)
 where delivery.id = expired.id and deferred_at = to_timestamp(deferred_at_ms / 1000)`

export async function markDead(
  sql: Sql,
  deliveries: readonly { id: string; deferredAt: Date }[],
): Promise<void> {
  await sql(
    statement,
    [
      plainArray(deliveries.map(({ id }) => id)),
      plainArray(deliveries.map(({ deferredAt }) => deferredAt.getTime())),
    ],
    "mark-dead",
  )
}
