/** Room for a bounded number of records, shared by all partitions of a consumer. */
export type Room = {
  used(): number
  free(): number
  take(count: number): void
  give(count: number): void
  /** Resolves when room was given back since the call, when `wake` is called, or after `ms`. */
  changed(ms: number): Promise<void>
  wake(): void
}

export function boundRoom(max: number): Room {
  let used = 0
  let wakers = new Set<() => void>()
  let scheduled = false
  const wake = () => {
    scheduled = false
    const woken = wakers
    wakers = new Set()
    for (const waker of woken) waker()
  }
  return {
    used: () => used,
    free: () => max - used,
    take(count) {
      used += count
    },
    give(count) {
      used -= count
      if (wakers.size === 0 || scheduled) return
      scheduled = true
      // Not at once: records that are done in the same turn are then one hand-over and not one each.
      setImmediate(wake)
    },
    changed: (ms) =>
      new Promise((resolve) => {
        const waker = () => {
          clearTimeout(timer)
          wakers.delete(waker)
          resolve()
        }
        const timer = setTimeout(waker, ms)
        wakers.add(waker)
      }),
    wake,
  }
}
