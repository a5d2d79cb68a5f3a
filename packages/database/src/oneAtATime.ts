import { beginWithLimit, onOwnConnection } from "./onOwnConnection.ts"
import type { Pool, Sql } from "./pool.ts"

/**
 * Runs `work` in a transaction that has the advisory lock `lockKey`. Returns null, without calling `work`, if
 * another process has the lock.
 */
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
