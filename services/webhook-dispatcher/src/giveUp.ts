import type { Sql } from "@sitewire/database"

const statement = `
update delivery set state = 'dead', next_attempt_at = null, finished_at = now()
 where id = any($1::uuid[]) and state = 'pending'`

/** Marks deliveries as dead whose retry period has ended without another attempt; there is none to record. */
export async function giveUp(sql: Sql, deliveries: readonly string[]): Promise<void> {
  await sql(statement, [deliveries], "give-up")
}
