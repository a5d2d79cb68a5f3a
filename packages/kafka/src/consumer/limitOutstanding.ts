export type OutstandingLimit = ReturnType<typeof limitOutstanding>

/** Limits the outstanding records (dispatched and not done) of all partitions together. */
export function limitOutstanding(max: number) {
  let outstanding = 0
  let waiters = new Set<() => void>()
  let scheduled = false
  const notify = () => {
    scheduled = false
    const notified = waiters
    waiters = new Set()
    for (const resolve of notified) resolve()
  }
  return {
    outstanding: () => outstanding,
    capacity: () => max - outstanding,
    acquire(count: number): void {
      outstanding += count
    },
    release(count: number): void {
      outstanding -= count
      if (waiters.size === 0 || scheduled) return
      scheduled = true
      // Deferred, so that records done in one turn of the event loop cause only one dispatch.
      setImmediate(notify)
    },
    /** Resolves at the next release, at the next `notify`, or after `ms`. */
    changed: (ms: number) =>
      new Promise<void>((resolve) => {
        const waiter = () => {
          clearTimeout(timer)
          waiters.delete(waiter)
          resolve()
        }
        const timer = setTimeout(waiter, ms)
        waiters.add(waiter)
      }),
    notify,
  }
}
