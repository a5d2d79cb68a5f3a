import { plainArray, type Sql } from "@sitewire/database"

// A delivery that waited for a resend, or that an attempt in flight has delivered since the claim, stays delivered.
const statement = `
update delivery
   set state = case state when 'pending' then 'dead' else state end,
       finished_at = case state when 'pending' then now() else finished_at end,
       dead_reason = case state when 'pending' then 'channel_deleted'::dead_reason else dead_reason end,
       next_attempt_at = null, deferred_at = null, deferred_reason = null, lease_expires_at = null,
       failures = null, period_started_at = null
 where id = any ($1::uuid[])`

/** Marks deliveries of a deleted channel as dead, and ends their resends. */
export async function endDeliveries(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql(statement, [plainArray(ids)])
}
