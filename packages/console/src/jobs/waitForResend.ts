import type { Sql } from "@sitewire/database"

/**
 * Says of deliveries that are about to be sent again that they wait for an attempt: operators see it, and retention does
 * not delete them meanwhile. Recording the attempt takes it back. Must come before the attempts are published.
 */
export async function waitForResend(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql(
    `update delivery set next_attempt_at = now()
      where id = any($1::uuid[]) and state in ('delivered', 'dead')`,
    [ids],
  )
}

/** Takes it back, where nothing was published. */
export async function waitNoLonger(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql(
    `update delivery set next_attempt_at = null
      where id = any($1::uuid[]) and state in ('delivered', 'dead')`,
    [ids],
  )
}
