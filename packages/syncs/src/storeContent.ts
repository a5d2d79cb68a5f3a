import { createHash } from "node:crypto"
import { defineStatement, type Sql } from "@sitewire/database"
import type { GrantedRun } from "./syncRun.ts"

/** So small that storing a chunk takes less than a second. 50 MB are 200 chunks. */
const chunkBytes = 256 * 1024
/** A source can send single bytes. */
const mostPieces = 64
/** While all syncs together buffer too much, none keeps more than this. It is not smaller, because each chunk is a transaction. */
const smallestEarlyChunk = 16 * 1024

/** Divides a stream into chunks, hashes it and writes every chunk but the last, which `flush` writes. `position`: the offset of a chunk. */
export function chunkContent(
  write: (position: number, data: Buffer) => Promise<void>,
  buffered: ReturnType<typeof countBufferedBytes>,
) {
  const hash = createHash("sha256")
  let pending: Buffer[] = []
  let pendingBytes = 0
  let bytes = 0
  let position = 0

  async function writeFirst(length: number): Promise<void> {
    const chunk = Buffer.concat(pending, length)
    // All pieces but the last were needed in whole.
    const last = pending.at(-1) ?? chunk
    pendingBytes -= length
    pending = pendingBytes > 0 ? [last.subarray(last.length - pendingBytes)] : []
    const start = position
    position += length
    await write(start, chunk).finally(() => buffered.add(-length))
  }

  return {
    async add(piece: Buffer): Promise<void> {
      hash.update(piece)
      bytes += piece.length
      if (pending.push(piece) >= mostPieces) pending = [Buffer.concat(pending)]
      pendingBytes += piece.length
      buffered.add(piece.length)
      while (pendingBytes > chunkBytes) await writeFirst(chunkBytes)
      if (buffered.tooMany() && pendingBytes >= smallestEarlyChunk) await writeFirst(pendingBytes)
    },
    measure: () => ({ bytes, sha256: hash.digest() }),
    async flush(): Promise<void> {
      if (pendingBytes > 0) await writeFirst(pendingBytes)
    },
    [Symbol.dispose](): void {
      buffered.add(-pendingBytes)
      pending = []
      pendingBytes = 0
    },
  }
}

/** Beyond it, 500 syncs in flight keep 8 MiB at most. Both fit the memory limit of the manifests. */
const mostBufferedBytes = 8 * 1024 * 1024

export function countBufferedBytes(most = mostBufferedBytes) {
  let count = 0
  return {
    add(bytes: number): void {
      count += bytes
    },
    tooMany: (): boolean => count > most,
  }
}

/** `position`: how many bytes of the content are before this chunk. */
export type Chunk = Pick<GrantedRun, "connection" | "site" | "fence" | "grantId"> & {
  position: number
  data: Buffer
}

export type StoredChunk = "stored" | "stale" | "locked" | "site-full"

/**
 * Stores a chunk of content under the run's fence. `stale`: a newer start has been granted, or the connection's source was changed.
 * `locked`: another transaction has locked the row of `sync_window`. If a newer start is granted meanwhile, `finishRuns` deletes the
 * chunk at the end of the newer run. The lock makes a deletion of the connection wait for the chunk, which it then deletes.
 */
export async function storeChunk(sql: Sql, chunk: Chunk, siteMaxBytes: number): Promise<StoredChunk> {
  const [row] = await store(sql, { ...chunk, siteMaxBytes })
  if (row?.stored) return "stored"
  if (!row?.is_newest) return "stale"
  return row.is_full ? "site-full" : "locked"
}

const newest = `select connection_id from sync_window
  where connection_id = $connection::text and fence = $fence::bigint and grant_id = $grantId::uuid and running`

/** Of a site, contents of so many connections are counted: more than SITE_MAX_CONNECTIONS allows. */
const mostConnections = 2_000
const mostContents = 20_000

const newestContent = (condition: string) => `
  select fence, position + octet_length(data) as bytes from snapshot_chunk
   where ${condition} order by fence desc, position desc limit 1`

/**
 * What a site stores is counted in its chunks: the last one of a content shows its size so far. So whatever a running, a lost or a
 * discarded sync has stored counts. Syncs of a site that store at the same moment do not see each other's chunk.
 */
const store = defineStatement<
  { stored: boolean; is_newest: boolean; is_full: boolean },
  Chunk & { siteMaxBytes: number }
>(
  "store-chunk",
  `
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
  select coalesce(sum(bytes), 0) + octet_length($data::bytea) > $siteMaxBytes::bigint as is_full
  from (select bytes from content limit ${mostContents}) as counted
),
stored as (
  insert into snapshot_chunk (connection_id, fence, position, data)
  select $connection::text, $fence::bigint, $position::int, $data::bytea
  from granted, used where not used.is_full
  on conflict (connection_id, fence, position) do update set data = excluded.data
  returning position
)
select exists (select from stored) as stored, exists (${newest}) as is_newest,
  (select is_full from used) and exists (select from granted) as is_full
`,
)

/** A smaller chunk begins no queue: it costs little more than its transaction. */
const largeBytes = 64 * 1024

/** Stores large chunks of a site, and what follows while they wait, one by one. Otherwise they could use all connections to Postgres. */
export function storeInTurn(store: (chunk: Chunk) => Promise<StoredChunk>) {
  const newestOf = new Map<string, Promise<StoredChunk>>()
  return async (chunk: Chunk): Promise<StoredChunk> => {
    const { site } = chunk
    if (site === null || (chunk.data.length < largeBytes && !newestOf.has(site))) return store(chunk)
    const storing = () => store(chunk)
    const stored = newestOf.get(site)?.then(storing, storing) ?? storing()
    newestOf.set(site, stored)
    try {
      return await stored
    } finally {
      if (newestOf.get(site) === stored) newestOf.delete(site)
    }
  }
}
