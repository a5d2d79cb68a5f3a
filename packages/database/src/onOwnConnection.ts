import type { Pool, Sql } from "./pool.ts"

/**
 * Runs `work` on one connection, for transactions. After an error, the connection is closed, because its
 * transaction may still be open.
 */
export async function onOwnConnection<T>(pool: Pool, work: (sql: Sql) => Promise<T>): Promise<T> {
  const client = await pool.driver.connect()
  let broken: Error | undefined
  try {
    return await work(async (text, values = []) => (await client.query({ text, values: [...values] })).rows)
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.release(broken)
  }
}

/**
 * Begins a transaction whose locks end soon if this process is suspended, or its host is cut off. Postgres would otherwise notice
 * that after hours.
 */
export const beginWithLimit = "begin; set local idle_in_transaction_session_timeout = '60s'"
