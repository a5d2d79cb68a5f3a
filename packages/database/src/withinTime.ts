import { wasEnded } from "./errorCodeOf.ts"
import { onOwnConnection } from "./onOwnConnection.ts"
import type { Pool, Sql } from "./pool.ts"

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
