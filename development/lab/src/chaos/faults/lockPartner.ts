import type { Pool } from "@sitewire/database"
import type { Random } from "../../shared/random.ts"

/** What has an id here, and the tables of its rows. */
const tables = {
  channel: ["waiting_delivery", "delivery"],
  connection: ["sync_window"],
}

/**
 * Locks the rows of a random channel and of a random connection, as far as there are any, as a transaction does that somebody has
 * left open. `unlock` ends the transaction.
 */
export async function lockPartner(pool: Pool, random: Random) {
  const client = await pool.driver.connect()
  const locked: string[] = []
  try {
    await client.query("begin; set local statement_timeout = '10s'")
    for (const [kind, others] of Object.entries(tables)) {
      const { rows } = await client.query<{ id: string }>(
        `select id from ${kind} order by md5(id || $1) limit 1 for update`,
        [String(random.next())],
      )
      const id = rows[0]?.id
      if (id === undefined) continue
      locked.push(id)
      for (const table of others)
        await client.query(`select from ${table} where ${kind}_id = $1 for update skip locked`, [id])
    }
  } catch (error) {
    client.release(true)
    throw error
  }
  return { what: locked.join(", "), unlock: () => client.query("rollback").then(() => client.release()) }
}
