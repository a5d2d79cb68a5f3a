import type { Sql } from "@sitewire/database"

/** Windows that are due and not running: what waits for a free place. */
export async function countDue(sql: Sql): Promise<number> {
  const [row] = await sql<{ due: number }>(
    "select count(*)::int as due from sync_window where due_at <= clock_timestamp() and not running",
  )
  return row?.due ?? 0
}
