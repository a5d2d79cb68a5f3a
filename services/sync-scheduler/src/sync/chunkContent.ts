import { createHash } from "node:crypto"

/** Large enough that 50 MB are 200 rows, small enough that a statement stays well under a second. */
const chunkBytes = 256 * 1024

export type ContentChunks = {
  add(piece: Buffer): Promise<void>
  /** Bytes and hash of all that was added. Nothing may be added after it. */
  measure(): { bytes: number; sha256: Buffer }
  /** Writes what is left. */
  flush(): Promise<void>
}

/**
 * Cuts a stream into chunks of one size and hashes it on the way. At most one chunk is held back, so that content of
 * less than one, which is most, is never written if its hash turns out to be known.
 */
export function chunkContent(write: (position: number, data: Buffer) => Promise<void>): ContentChunks {
  const hash = createHash("sha256")
  let held: Buffer[] = []
  let heldBytes = 0
  let bytes = 0
  let position = 0

  async function writeFirst(length: number): Promise<void> {
    const all = Buffer.concat(held)
    const rest = all.subarray(length)
    held = [rest]
    heldBytes = rest.length
    await write(position++, all.subarray(0, length))
  }

  return {
    async add(piece) {
      hash.update(piece)
      bytes += piece.length
      held.push(piece)
      heldBytes += piece.length
      while (heldBytes > chunkBytes) await writeFirst(chunkBytes)
    },
    measure: () => ({ bytes, sha256: hash.digest() }),
    async flush() {
      if (heldBytes > 0) await writeFirst(heldBytes)
    },
  }
}
