import type { Sql } from "@sitewire/database"

/** Creates the window of a connection, if it has none: the row with the schedule of its syncs. */
export async function createWindow(sql: Sql, connection: string): Promise<void> {
  await sql(
    `insert into sync_window (connection_id, source_version) select id, source_version from connection where id = $1
     on conflict do nothing`,
    [connection],
  )
}
