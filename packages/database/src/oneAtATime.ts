import type { Pool, Sql } from "./pool.ts"

/**
 * Does `work` in a transaction that holds the advisory lock `lockKey`. Null: another process holds it, and nothing was
 * done. The transaction's end gives the lock back, and so does a kill.
 */
export async function oneAtATime<T>(
  pool: Pool,
  lockKey: number,
  work: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  const client = await pool.driver.connect()
  const sql: Sql = async (text, values = []) => (await client.query({ text, values: [...values] })).rows
  let broken: Error | undefined
  const onBreak = (error: Error) => {
    broken = error
  }
  // Without a listener, a connection that breaks while the work waits ends the process.
  client.on("error", onBreak)
  try {
    await sql("begin")
    const [lock] = await sql<{ mine: boolean }>("select pg_try_advisory_xact_lock($1) as mine", [lockKey])
    const result = lock?.mine ? await work(sql) : null
    await sql("commit")
    return result
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.off("error", onBreak)
    client.release(broken)
  }
}
