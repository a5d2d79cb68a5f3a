import type { Sql } from "@sitewire/database"

/** `position`: how many bytes of the content are before this chunk. */
export type Chunk = { connection: string; fence: number; grantId: string; position: number; data: Buffer }

export type StoredChunk = "stored" | "stale" | "locked" | "site-full"

/**
 * Stores a chunk of content under the run's fence. Stores nothing if a newer start has been granted, or the
 * connection's source was changed (`stale`), if another transaction has locked the row of `sync_window`
 * (`locked`), or if the site would then store more than `siteMaxBytes` (`site-full`). If a newer start is granted
 * while the statement runs, `finishRuns` deletes the chunk at the end of the newer run. The lock makes a deletion
 * of the connection wait for the chunk, which the deletion then deletes.
 */
export async function storeChunk(sql: Sql, chunk: Chunk, siteMaxBytes: number): Promise<StoredChunk> {
  const { connection, fence, grantId, position, data } = chunk
  const [row] = await sql<{ stored: boolean; is_newest: boolean; is_full: boolean }>(
    store,
    [connection, fence, position, data, grantId, siteMaxBytes],
    "store-chunk",
  )
  if (row?.stored) return "stored"
  if (!row?.is_newest) return "stale"
  return row.is_full ? "site-full" : "locked"
}

const newest = `select connection_id from sync_window
  where connection_id = $1::text and fence = $2::bigint and grant_id = $5::uuid and running`

/** Of a site, contents of so many connections are counted: more than SITE_MAX_CONNECTIONS allows. */
const mostConnections = 2_000
const mostContents = 20_000

const newestContent = (condition: string) => `
  select fence, position + octet_length(data) as bytes from snapshot_chunk
   where ${condition} order by fence desc, position desc limit 1`

/**
 * What a site stores is counted in its chunks: the last chunk of a content shows the content's size so far. So whatever a running,
 * a lost or a discarded sync has stored counts, and no counter could be wrong, or be locked by another sync. Syncs of a site that
 * store at the same moment do not see each other's chunk.
 */
const store = `
with recursive granted as materialized (
  ${newest}
  for key share skip locked
),
content as (
  select c.id, newest.fence, newest.bytes
  from (
    select c.id from granted join connection own on own.id = granted.connection_id join connection c on c.site = own.site
    limit ${mostConnections}
  ) as c
  cross join lateral (${newestContent("connection_id = c.id")}) as newest
  union all
  select content.id, older.fence, older.bytes
  from content cross join lateral (
    ${newestContent("connection_id = content.id and fence < content.fence")}
  ) as older
),
used as materialized (
  select coalesce(sum(bytes), 0) + octet_length($4::bytea) > $6::bigint as is_full
  from (select bytes from content limit ${mostContents}) as counted
),
stored as (
  insert into snapshot_chunk (connection_id, fence, position, data)
  select $1::text, $2::bigint, $3::int, $4::bytea
  from granted, used where not used.is_full
  on conflict (connection_id, fence, position) do update set data = excluded.data
  returning position
)
select exists (select from stored) as stored, exists (${newest}) as is_newest,
  (select is_full from used) and exists (select from granted) as is_full
`
