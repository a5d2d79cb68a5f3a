import type { Sql } from "./pool.ts"

/** The time by Postgres's clock. */
export async function readClock(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }>("select clock_timestamp() as now")
  if (!row) throw new Error("Postgres returned no time")
  return row.now
}
