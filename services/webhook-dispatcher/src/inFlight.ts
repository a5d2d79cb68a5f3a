/**
 * Deliveries that this process has in hand. A crash can leave two records of one delivery, which then come due
 * together; the second waits here for the first, and finds its attempt already made.
 */
export function createInFlight() {
  // Null while nobody waits, which is nearly always.
  const waiters = new Map<string, (() => void)[] | null>()
  return {
    /** Takes the delivery: true. Already taken: false, and `whenFree` is called once it is free. */
    take(delivery: string, whenFree: () => void): boolean {
      const waiting = waiters.get(delivery)
      if (waiting === undefined) {
        waiters.set(delivery, null)
        return true
      }
      if (waiting === null) waiters.set(delivery, [whenFree])
      else waiting.push(whenFree)
      return false
    },
    /** Takes a delivery whose id was made just now, so that nobody can have it. */
    takeNew: (delivery: string): void => void waiters.set(delivery, null),
    release(delivery: string): void {
      const waiting = waiters.get(delivery)
      waiters.delete(delivery)
      for (const whenFree of waiting ?? []) whenFree()
    },
    size: () => waiters.size,
  }
}

export type InFlight = ReturnType<typeof createInFlight>
