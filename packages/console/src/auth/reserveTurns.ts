/** Turns that an id gets at once: about what a page of the web console sends together. */
const atOnce = 10
const forgetThreshold = 10_000

/** Returns in how many milliseconds the turn is. */
export type ReserveTurn = (id: string, perMinute: number) => number

/**
 * Spreads the requests of each id: `atOnce` at once, and then one every `60_000 / perMinute` milliseconds. If they were only
 * counted for each minute, all of a minute could come in its first second, and delay everybody else in it. A turn that is
 * later than `longestWaitMs` is not reserved.
 */
export function reserveTurns(longestWaitMs: number, now = () => performance.now()): ReserveTurn {
  /** When each id has all its turns at once again. */
  const restored = new Map<string, number>()
  let forgetFrom = forgetThreshold

  function forgetRestored(at: number): void {
    for (const [id, time] of restored) if (time <= at) restored.delete(id)
    forgetFrom = Math.max(forgetThreshold, 2 * restored.size)
  }

  return (id, perMinute) => {
    const at = now()
    const everyMs = 60_000 / perMinute
    const restoredAt = Math.max(restored.get(id) ?? 0, at) + everyMs
    const waitMs = Math.max(0, restoredAt - at - Math.min(atOnce, perMinute) * everyMs)
    if (waitMs > longestWaitMs) return waitMs
    if (restored.size >= forgetFrom) forgetRestored(at)
    restored.set(id, restoredAt)
    return waitMs
  }
}
