/** How often a claim reads from the first row on. */
const fullScanEveryMs = 10_000

/** A row may be committed this long after its time. One that takes longer waits for the next scan from the first row. */
const slackMs = 5_000

/**
 * Where claims of the oldest rows begin to read, in milliseconds. While an older transaction is open, Postgres keeps the index entries
 * of rows that have left, and a scan from the first one would read all of them. An older row, which was locked or leased, waits for
 * the next scan from the first row.
 */
export function createScanStart() {
  let oldestMs = 0
  let fullScanAt = Number.NEGATIVE_INFINITY

  return {
    next(): number {
      if (performance.now() < fullScanAt) return Math.max(0, oldestMs - slackMs)
      fullScanAt = performance.now() + fullScanEveryMs
      return 0
    },
    found(ms: number): void {
      oldestMs = ms
    },
  }
}
