export type EqualShareSettings = {
  maxRunning: number
  windowMs: number
  /** What takes this long is more than an equal share, however few syncs there are. */
  mostMs: number
  now: () => number
}

/**
 * How long a sync may take so that this process could run all syncs of a window if each took as long: a connection whose sync takes
 * longer uses more than its equal share of the permits, and counts as slow. The syncs of the last window and of this one are
 * counted, and the larger number is used.
 */
export function createEqualShare({ maxRunning, windowMs, mostMs, now }: EqualShareSettings) {
  let [before, current] = [0, 0]
  let beganAt = now()

  function beginWindow(): void {
    const windows = Math.floor((now() - beganAt) / windowMs)
    if (windows === 0) return
    before = windows === 1 ? current : 0
    current = 0
    beganAt += windows * windowMs
  }

  return {
    countSync(): void {
      beginWindow()
      current += 1
    },
    ms(): number {
      beginWindow()
      return Math.min(mostMs, (maxRunning * windowMs) / Math.max(1, before, current))
    },
  }
}
