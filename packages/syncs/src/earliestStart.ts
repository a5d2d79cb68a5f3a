import type { Sql } from "@sitewire/database"

/**
 * When the next sync of a connection may start. While a sync is running, `due_at` is the end of its lease, and the
 * window of the running sync ends before or at that time.
 */
export const earliestStartColumn = `greatest(clock_timestamp(),
  case when w.running then w.window_ends_at else greatest(w.due_at, w.window_ends_at) end)`

export async function earliestStart(sql: Sql, connection: string): Promise<Date> {
  const [row] = await sql<{ at: Date }>(
    `select ${earliestStartColumn} as at from sync_window w where w.connection_id = $1`,
    [connection],
  )
  if (!row) throw new Error("a connection has no window")
  return row.at
}
