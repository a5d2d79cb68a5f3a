import type { Sql } from "@sitewire/database"

/**
 * Stores one piece of a source's content under the run's fence, while its grant is the newest: otherwise writes nothing
 * and returns false. A newer start that is granted within this very statement leaves a piece under a number that nobody
 * reads; the next finish of the connection removes it. May be repeated, for an answer can be lost with its connection.
 */
export async function storeChunk(
  sql: Sql,
  {
    connection,
    fence,
    grantId,
    position,
    data,
  }: { connection: string; fence: number; grantId: string; position: number; data: Buffer },
): Promise<boolean> {
  const rows = await sql(store, [connection, fence, position, data, grantId], "store-chunk")
  return rows.length > 0
}

const store = `
insert into snapshot_chunk (connection_id, fence, position, data)
select $1::text, $2::bigint, $3::int, $4::bytea
where exists (
  select 1 from sync_window
  where connection_id = $1::text and fence = $2::bigint and grant_id = $5::uuid and running
)
on conflict (connection_id, fence, position) do update set data = excluded.data
returning position
`
