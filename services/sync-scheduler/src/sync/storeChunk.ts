import type { Sql } from "@sitewire/database"

export type Chunk = { connection: string; fence: number; grantId: string; position: number; data: Buffer }

/**
 * Stores a chunk of content under the run's fence. Returns false and stores nothing if a newer start has been
 * granted, or the connection's source was changed. If that happens while the statement runs, `finishRuns`
 * deletes the chunk at the end of the newer run. The lock makes a deletion of the connection wait for the
 * chunk, which the deletion then deletes.
 */
export async function storeChunk(sql: Sql, chunk: Chunk): Promise<boolean> {
  const { connection, fence, grantId, position, data } = chunk
  const rows = await sql(store, [connection, fence, position, data, grantId], "store-chunk")
  return rows.length > 0
}

const store = `
with granted as materialized (
  select 1 from sync_window
  where connection_id = $1::text and fence = $2::bigint and grant_id = $5::uuid and running
  for key share
)
insert into snapshot_chunk (connection_id, fence, position, data)
select $1::text, $2::bigint, $3::int, $4::bytea
from granted
on conflict (connection_id, fence, position) do update set data = excluded.data
returning position
`
