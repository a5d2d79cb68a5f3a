import { onOwnConnection } from "./onOwnConnection.ts"
import type { Pool, Sql } from "./pool.ts"

/** Postgres's code for a statement that it ended: `query_canceled`. */
const ended = "57014"

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
    if (error instanceof Error && "code" in error && error.code === ended) return null
    throw error
  }
}
