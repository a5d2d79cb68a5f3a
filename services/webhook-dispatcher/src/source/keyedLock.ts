/**
 * Locks events by their ids within this process: a second record of an event waits for the first, and is then a duplicate.
 */
export function createKeyedLock() {
  // Null while nothing waits, so that nearly all keys need no array.
  const waiters = new Map<string, (() => void)[] | null>()
  return {
    /** Returns true if the lock was acquired. Otherwise `onReleased` is called when it is released. */
    acquire(key: string, onReleased: () => void): boolean {
      const waiting = waiters.get(key)
      if (waiting === undefined) {
        waiters.set(key, null)
        return true
      }
      if (waiting === null) waiters.set(key, [onReleased])
      else waiting.push(onReleased)
      return false
    },
    release(key: string): void {
      const waiting = waiters.get(key)
      waiters.delete(key)
      for (const onReleased of waiting ?? []) onReleased()
    },
    size: () => waiters.size,
  }
}

export type KeyedLock = ReturnType<typeof createKeyedLock>
