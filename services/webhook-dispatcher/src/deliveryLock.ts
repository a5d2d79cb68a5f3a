/**
 * Locks deliveries within this process. After a crash, two records of one delivery can be due at the same
 * time: the second waits for the first, and is then dropped as stale.
 */
export function createDeliveryLock() {
  // Null while nothing waits, so that nearly all deliveries need no array.
  const waiters = new Map<string, (() => void)[] | null>()
  return {
    /** Returns true if the lock was acquired. Otherwise `onReleased` is called when it is released. */
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
    /** For an id that was created just now, whose lock nothing else can have. */
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
