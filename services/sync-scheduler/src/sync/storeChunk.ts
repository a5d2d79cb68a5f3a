import type { Sql } from "@sitewire/database"

export type Chunk = { connection: string; fence: number; grantId: string; position: number; data: Buffer }

/**
 * Stores a chunk of content under the run's fence. Stores nothing if a newer start has been granted, or the
 * connection's source was changed (`stale`), or if another transaction has locked the row of `sync_window`
 * (`locked`). If a newer start is granted while the statement runs, `finishRuns` deletes the chunk at the end
 * of the newer run. The lock makes a deletion of the connection wait for the chunk, which the deletion then
 * deletes.
 */
export async function storeChunk(sql: Sql, chunk: Chunk): Promise<"stored" | "stale" | "locked"> {
  const { connection, fence, grantId, position, data } = chunk
  const [row] = await sql<{ stored: boolean; is_newest: boolean }>(
    store,
    [connection, fence, position, data, grantId],
    "store-chunk",
  )
  if (row?.stored) return "stored"
  return row?.is_newest ? "locked" : "stale"
}

const newest = `select 1 from sync_window
  where connection_id = $1::text and fence = $2::bigint and grant_id = $5::uuid and running`

const store = `
with granted as materialized (
  ${newest}
  for key share skip locked
),
stored as (
  insert into snapshot_chunk (connection_id, fence, position, data)
  select $1::text, $2::bigint, $3::int, $4::bytea
  from granted
  on conflict (connection_id, fence, position) do update set data = excluded.data
  returning position
)
select exists (select from stored) as stored, exists (${newest}) as is_newest
`
