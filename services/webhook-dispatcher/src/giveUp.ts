import type { Sql } from "@sitewire/database"

const statement = `
update delivery
   set next_attempt_at = null,
       state = case state when 'pending' then 'dead' else state end,
       finished_at = case state when 'pending' then now() else finished_at end
 where id = any($1::uuid[])`

/**
 * Marks deliveries as dead whose retry period has ended without another attempt; there is none to record. What was
 * delivered, dead or erased before, and was given up as a resend, stays so.
 */
export async function giveUp(sql: Sql, deliveries: readonly string[]): Promise<void> {
  await sql(statement, [deliveries], "give-up")
}
