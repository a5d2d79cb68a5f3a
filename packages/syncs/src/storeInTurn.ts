import type { Chunk, StoredChunk } from "./storeContent.ts"

/** A smaller chunk begins no queue: it costs little more than its transaction. */
const largeBytes = 64 * 1024

/**
 * Returns a function that stores large chunks of one site, and what follows while they wait, one after the other. Those of other sites
 * do not wait for them. Otherwise a site with large contents would use all of this process's connections to Postgres, and all of
 * Postgres's CPU time, while its syncs run together. (With many of them, `countBufferedBytes` makes chunks small.)
 */
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
