/** A time in the future (`performance.now()`) for each key. A time that has passed counts as none. */
export function createFutureTimes() {
  const times = new Map<string, number>()
  /** Passed times are removed whenever their number may have doubled, so that the cost of a `set` is constant. */
  let removeAbove = 16

  return {
    isSet: (key: string): boolean => (times.get(key) ?? 0) > performance.now(),
    /** The key's time, or now. */
    nowOrLater: (key: string): number => Math.max(performance.now(), times.get(key) ?? 0),
    set(key: string, at: number): void {
      times.set(key, at)
      if (times.size <= removeAbove) return
      const now = performance.now()
      for (const [other, time] of times) if (time <= now) times.delete(other)
      removeAbove = Math.max(16, 2 * times.size)
    },
  }
}
