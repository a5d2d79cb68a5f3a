import type { Sql } from "./pool.ts"

export async function readClock(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }>("select clock_timestamp() as now")
  if (!row) throw new Error("Postgres returned no time")
  return row.now
}

/** How many replaced or deleted versions of the table's rows vacuum has not removed. Scans pass over them. */
export async function readUnvacuumedRows(sql: Sql, table: string): Promise<number> {
  const [row] = await sql<{ rows: number }>(
    "select n_dead_tup::float8 as rows from pg_stat_user_tables where relid = to_regclass($1)",
    [table],
  )
  return row?.rows ?? 0
}
