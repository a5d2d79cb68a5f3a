/**
 * Deliveries that this process has in hand. A crash can leave two records of one delivery, which then come due
 * together; the second waits here for the first, and finds its attempt already made.
 */
export function createInFlight() {
  const waiters = new Map<string, (() => void)[]>()
  return {
    /** Takes the delivery: true. Already taken: false, and `whenFree` is called once it is free. */
    take(delivery: string, whenFree: () => void): boolean {
      const waiting = waiters.get(delivery)
      if (waiting) {
        waiting.push(whenFree)
        return false
      }
      waiters.set(delivery, [])
      return true
    },
    release(delivery: string): void {
      const waiting = waiters.get(delivery) ?? []
      waiters.delete(delivery)
      for (const whenFree of waiting) whenFree()
    },
    size: () => waiters.size,
  }
}

export type InFlight = ReturnType<typeof createInFlight>
