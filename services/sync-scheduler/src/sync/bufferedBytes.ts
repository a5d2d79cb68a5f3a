/**
 * Beyond it, 500 syncs in flight keep 8 MiB at most. Both fit the memory limit of the manifests
 * (`npm run bench -- inbound --only many-syncs`).
 */
const mostBufferedBytes = 8 * 1024 * 1024

/** Counts the content that all syncs of this process have in memory. Where there is too much, each stores smaller chunks. */
export type BufferedBytes = { add(bytes: number): void; tooMany(): boolean }

export function countBufferedBytes(most = mostBufferedBytes): BufferedBytes {
  let count = 0
  return {
    add(bytes) {
      count += bytes
    },
    tooMany: () => count > most,
  }
}
