import { onOwnConnection } from "./onOwnConnection.ts"
import type { Pool, Sql } from "./pool.ts"

/** Does `work` in a transaction with an advisory lock. Returns null if another process has the lock. */
export function oneAtATime<T>(
  pool: Pool,
  lockKey: number,
  work: (sql: Sql) => Promise<T>,
): Promise<T | null> {
  return onOwnConnection(pool, async (sql) => {
    await sql("begin")
    const [lock] = await sql<{ mine: boolean }>("select pg_try_advisory_xact_lock($1) as mine", [lockKey])
    const result = lock?.mine ? await work(sql) : null
    await sql("commit")
    return result
  })
}
