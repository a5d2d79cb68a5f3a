/**
 * Locks deliveries within this process. A crash can leave two records of one delivery, which then come due together; the second waits
 * here for the first, and finds its attempt already made.
 */
export function createDeliveryLock() {
  // Null while nobody waits, which is nearly always.
  const waiters = new Map<string, (() => void)[] | null>()
  return {
    /** Acquires the delivery's lock: true. Otherwise false, and `onReleased` is called once it is released. */
    acquire(delivery: string, onReleased: () => void): boolean {
      const waiting = waiters.get(delivery)
      if (waiting === undefined) {
        waiters.set(delivery, null)
        return true
      }
      if (waiting === null) waiters.set(delivery, [onReleased])
      else waiting.push(onReleased)
      return false
    },
    /** For a delivery whose id was made just now, so that nobody can have its lock. */
    acquireNew: (delivery: string): void => void waiters.set(delivery, null),
    release(delivery: string): void {
      const waiting = waiters.get(delivery)
      waiters.delete(delivery)
      for (const onReleased of waiting ?? []) onReleased()
    },
    size: () => waiters.size,
  }
}

export type DeliveryLock = ReturnType<typeof createDeliveryLock>
