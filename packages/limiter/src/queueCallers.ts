import { type Acquired, type Key, type Keys, responseMs } from "./keys.ts"
import type { sharePermits } from "./sharePermits.ts"

const rejectExcessEveryMs = 50

export const unknownQueueFactor = 2

/** How many keys may use the permit that one has released, before the next release. */
const maxTurns = 16

/** The callers that wait for a permit of their key, in order. */
export function queueCallers(
  keys: Keys,
  permits: ReturnType<typeof sharePermits>,
  { maxWaitMs, now }: { maxWaitMs: number; now: () => number },
) {
  const { limitOf, isBlocked, kindOf } = permits
  let rejecting: NodeJS.Timeout | undefined
  /** Keys whose callers wait because all keys of their kind together have no more permits, in the order of their turns. */
  const blocked = { quick: new Set<Key>(), slow: new Set<Key>(), unknown: new Set<Key>() }

  /** How many callers may wait. At the current response time, the last of them waits `maxWaitMs`. */
  function maxWaiting(key: Key): number {
    if (maxWaitMs <= 0) return 0
    const ms = responseMs(key, now)
    return ms === 0 ? Number.POSITIVE_INFINITY : Math.floor((maxWaitMs / ms) * limitOf(key))
  }

  /**
   * Rejects callers that would now wait too long: while a key does not respond, `responseMs` grows, so fewer callers may
   * wait. If a key waits for permits that other keys hold, its own response time says nothing about the wait: callers that
   * have waited for `maxWaitMs` are rejected.
   */
  function rejectExcess(): void {
    let anyWaits = false
    for (const key of keys.all()) {
      const { waiting } = key
      if (waiting.length === 0) continue
      const tooMany = waiting.splice(maxWaiting(key))
      const inTime = isBlocked(key) ? waiting.findIndex(({ since }) => now() - since <= maxWaitMs) : 0
      const tooLong = waiting.splice(0, inTime < 0 ? waiting.length : inTime)
      for (const { settle } of [...tooLong, ...tooMany]) settle({ kind: "rejected", reason: "busy" })
      anyWaits ||= waiting.length > 0
    }
    if (anyWaits) return
    clearInterval(rejecting)
    rejecting = undefined
  }

  return {
    isFull: (key: Key): boolean => key.waiting.length >= maxWaiting(key) || permits.isWaitVain(key),
    /**
     * How long the queue may be for `capacity`. It is short before the key's first response, which may show that
     * the key is slow.
     */
    limit(key: Key): number {
      const limit = maxWaiting(key)
      return key.averageMs === 0 ? Math.min(limit, unknownQueueFactor * limitOf(key)) : limit
    },
    wait(key: Key): Promise<Acquired> {
      rejecting ??= setInterval(rejectExcess, rejectExcessEveryMs)
      if (isBlocked(key)) blocked[kindOf(key)].add(key)
      return new Promise((settle) => void key.waiting.push({ since: now(), settle }))
    },
    admit(key: Key, admit: (key: Key) => Acquired): void {
      while (permits.freePermits(key) > 0) {
        const next = key.waiting.shift()
        if (!next) return
        next.settle(admit(key))
      }
      if (key.waiting.length > 0 && isBlocked(key)) blocked[kindOf(key)].add(key)
    },
    /** Gives permits that a key has released to the callers of others, one key after the other. */
    takeTurns(admitWaiting: (key: Key) => void): void {
      for (const kind of ["slow", "unknown"] as const) {
        let turns = Math.min(maxTurns, blocked[kind].size)
        for (const key of blocked[kind]) {
          if (turns-- === 0 || permits.freeOfKind(kind) === 0) break
          blocked[kind].delete(key)
          admitWaiting(key)
        }
      }
    },
    reject({ waiting }: Key, reason: "breaker" | "paused"): void {
      for (const { settle } of waiting.splice(0)) settle({ kind: "rejected", reason })
    },
  }
}
