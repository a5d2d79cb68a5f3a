import type { Sql } from "@sitewire/database"

/** How many entries of the index the work reads, those of deleted rows included. `sql` must have a single connection, which the work uses. */
export async function indexEntriesRead(
  sql: Sql,
  index: string,
  work: () => Promise<unknown>,
): Promise<number> {
  const read = async () => {
    await sql("select pg_stat_force_next_flush()")
    const [row] = await sql<{ entries: number }>(
      "select idx_tup_read::int as entries from pg_stat_user_indexes where indexrelname = $1",
      [index],
    )
    if (!row) throw new Error(`there is no index ${index}`)
    return row.entries
  }
  const before = await read()
  await work()
  return (await read()) - before
}
