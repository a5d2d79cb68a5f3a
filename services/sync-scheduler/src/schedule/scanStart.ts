/** So often, a claim reads all that is due. */
const fullScanEveryMs = 10_000

/** A transaction that makes a sync due may be committed this long after the sync was due. Those that take longer wait for a full scan. */
const slackMs = 5_000

/**
 * Where claims begin to read due syncs. As long as an older transaction is open, Postgres keeps the index entries of syncs that have
 * started, and a scan from the first one would read all of them. A sync that is due for longer than those of the last claim, because its
 * row was locked, waits for the next full scan.
 */
export function createScanStart() {
  let oldestDueMs = 0
  let fullScanAt = Number.NEGATIVE_INFINITY

  return {
    next(): number {
      if (performance.now() < fullScanAt) return Math.max(0, oldestDueMs - slackMs)
      fullScanAt = performance.now() + fullScanEveryMs
      return 0
    },
    found(ms: number): void {
      oldestDueMs = ms
    },
  }
}
