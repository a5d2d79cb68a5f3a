import { createHash } from "node:crypto"
import type { BufferedBytes } from "./bufferedBytes.ts"

/** So small that storing a chunk takes less than a second. 50 MB are 200 chunks. */
const chunkBytes = 256 * 1024
/** A source can send single bytes, and each piece takes more memory than that. */
const mostPieces = 64
/** Where all syncs together hold too much, none keeps more than this. Each chunk is a transaction, and has rows of its own. */
const smallestEarlyChunk = 16 * 1024

export type ContentChunks = {
  add(piece: Buffer): Promise<void>
  measure(): { bytes: number; sha256: Buffer }
  flush(): Promise<void>
  [Symbol.dispose](): void
}

/**
 * Divides a stream into chunks, hashes it and writes every chunk but the last. `flush` writes the last. The
 * caller omits `flush` if the hash shows that the content is unchanged. `position` is the offset of a chunk. While `buffered` are too
 * many bytes, smaller chunks are written.
 */
export function chunkContent(
  write: (position: number, data: Buffer) => Promise<void>,
  buffered: BufferedBytes,
): ContentChunks {
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
    async add(piece) {
      hash.update(piece)
      bytes += piece.length
      if (pending.push(piece) >= mostPieces) pending = [Buffer.concat(pending)]
      pendingBytes += piece.length
      buffered.add(piece.length)
      while (pendingBytes > chunkBytes) await writeFirst(chunkBytes)
      if (buffered.tooMany() && pendingBytes >= smallestEarlyChunk) await writeFirst(pendingBytes)
    },
    measure: () => ({ bytes, sha256: hash.digest() }),
    async flush() {
      if (pendingBytes > 0) await writeFirst(pendingBytes)
    },
    [Symbol.dispose]() {
      buffered.add(-pendingBytes)
      pending = []
      pendingBytes = 0
    },
  }
}
