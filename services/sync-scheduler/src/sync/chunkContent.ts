import { createHash } from "node:crypto"

/** So small that storing a chunk takes less than a second. 50 MB are 200 chunks. */
const chunkBytes = 256 * 1024

export type ContentChunks = {
  add(piece: Buffer): Promise<void>
  measure(): { bytes: number; sha256: Buffer }
  flush(): Promise<void>
}

/**
 * Divides a stream into chunks, hashes it and writes every chunk but the last. `flush` writes the last. The
 * caller omits `flush` if the hash shows that the content is unchanged.
 */
export function chunkContent(write: (position: number, data: Buffer) => Promise<void>): ContentChunks {
  const hash = createHash("sha256")
  let pending: Buffer[] = []
  let pendingBytes = 0
  let bytes = 0
  let position = 0

  async function writeFirst(length: number): Promise<void> {
    const all = Buffer.concat(pending)
    const rest = all.subarray(length)
    pending = [rest]
    pendingBytes = rest.length
    await write(position++, all.subarray(0, length))
  }

  return {
    async add(piece) {
      hash.update(piece)
      bytes += piece.length
      pending.push(piece)
      pendingBytes += piece.length
      while (pendingBytes > chunkBytes) await writeFirst(chunkBytes)
    },
    measure: () => ({ bytes, sha256: hash.digest() }),
    async flush() {
      if (pendingBytes > 0) await writeFirst(pendingBytes)
    },
  }
}
