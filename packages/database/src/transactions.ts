import { wasEnded } from "./isUnavailable.ts"
import type { Pool, Sql } from "./pool.ts"

/** Runs `work` on one connection. After an error, it is closed, because its transaction may still be open. */
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

/** Runs `work` in a transaction that has the advisory lock `lockKey`. Null: another process has the lock. */
export function oneAtATime<T>(
  pool: Pool,
  lockKey: number,
  work: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  return onOwnConnection(pool, async (sql) => {
    await sql(beginWithLimit)
    const [lock] = await sql<{ mine: boolean }>("select pg_try_advisory_xact_lock($1) as mine", [lockKey])
    const result = lock?.mine ? await work(sql) : null
    await sql("commit")
    return result
  })
}

/** Runs statements that only read. Returns null if one of them takes longer than `ms`, after which Postgres ends it. */
export async function withinTime<T>(
  pool: Pool,
  ms: number,
  read: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  try {
    return await onOwnConnection(pool, async (sql) => {
      await sql("begin read only")
      await sql("select set_config('statement_timeout', $1, true)", [String(ms)])
      const result = await read(sql)
      await sql("commit")
      return result
    })
  } catch (error) {
    if (wasEnded(error)) return null
    throw error
  }
}
