import {
  type Acquired,
  type BreakerSettings,
  countFailure,
  countSuccess,
  createKeys,
  isBreakerOpen,
  isProbeDue,
  type Key,
  type Keys,
  type Permit,
  type PermitOutcome,
  responseMs,
  sharePermits,
} from "./permits.ts"

export type LimiterSettings = BreakerSettings & {
  /** How many permits one key may have. A permit allows one call. */
  maxConcurrency: number
  /** The limit of a new key; it grows by one with each success. */
  startConcurrency?: number
  /** A key is slow if its average response time, or the age of its oldest permit, reaches this. */
  slowMs?: number
  /** How many permits all slow keys may have together. */
  slowConcurrency: number
  /** The same for all keys that have not responded yet, because they may hang. No limit by default. */
  unknownConcurrency?: number
  /** Callers that would wait longer than this are rejected. */
  maxWaitMs: number
  now?: () => number
  onBreaker?: (key: string, state: "open" | "closed", failures: number) => void
  /** Called when a permit is released, if the key then has a free permit or a queue that is less than half full. */
  onCapacity?: (key: string) => void
}

/**
 * Limits how many calls run at the same time, so that one key (a channel or a source host) cannot delay the others. All slow keys
 * together, and all that have not responded yet, have a maximum, so that quick keys get permits however many others hang.
 */
export function createLimiter(settings: LimiterSettings) {
  const { maxConcurrency, startConcurrency = 8, slowMs = 500, slowConcurrency, maxWaitMs } = settings
  const { unknownConcurrency = Number.POSITIVE_INFINITY, now = () => performance.now() } = settings
  const startLimit = Math.min(maxConcurrency, startConcurrency)
  const keys = createKeys(settings, startLimit)
  const permits = sharePermits(keys, { slowMs, slowConcurrency, unknownConcurrency, now })
  const queue = queueCallers(keys, permits, { maxWaitMs, now })
  const { freePermits, freeFor, freeOfKind } = permits

  function acquire(name: string): Acquired | Promise<Acquired> {
    const key = keys.of(name)
    if (isBreakerOpen(key.breaker))
      return isProbeDue(key, now()) ? admit(key) : { kind: "rejected", reason: "breaker" }
    if (freePermits(key) > 0) return admit(key)
    return queue.isFull(key) ? { kind: "rejected", reason: "busy" } : queue.wait(key)
  }

  function admit(key: Key): Acquired {
    const permit = permits.take(key)
    return { kind: "acquired", release: (outcome) => release(key, permit, outcome) }
  }

  function release(key: Key, permit: Permit, outcome: PermitOutcome): void {
    if (!permits.giveBack(key, permit, outcome)) return
    if (outcome === "success") succeeded(key)
    if (outcome === "failure") failed(key, permit)
    // Others first, so that keys of a kind take turns.
    queue.takeTurns(admitWaiting)
    admitWaiting(key)
    if (settings.onCapacity && hasSpareCapacity(key)) settings.onCapacity(key.name)
  }

  function succeeded(key: Key): void {
    const closed = countSuccess(key.breaker, settings)
    // After the breaker closes, all waiting work arrives at once, so the limit starts at 1.
    key.limit = closed ? 1 : Math.min(maxConcurrency, key.limit + 1)
    if (closed) settings.onBreaker?.(key.name, "closed", 0)
  }

  function failed({ name, breaker }: Key, { isProbe }: Permit): void {
    if (countFailure(breaker, settings, { isProbe, now: now() }))
      settings.onBreaker?.(name, "open", breaker.failures)
  }

  function admitWaiting(key: Key): void {
    if (isBreakerOpen(key.breaker)) queue.reject(key, "breaker")
    else queue.admit(key, admit)
  }

  function capacity(name: string): number {
    const key = keys.find(name)
    if (!key)
      return Math.min(startLimit * (maxWaitMs > 0 ? 1 + unknownQueueFactor : 1), freeOfKind("unknown"))
    if (isBreakerOpen(key.breaker)) return isProbeDue(key, now()) ? 1 : 0
    const most = freePermits(key) + Math.max(0, queue.limit(key) - key.waiting.length)
    return Math.min(most, freeFor(key))
  }

  function hasSpareCapacity(key: Key): boolean {
    if (isBreakerOpen(key.breaker)) return false
    if (key.waiting.length === 0 && freePermits(key) > 0) return true
    return key.waiting.length < queue.limit(key) / 2 && freeFor(key) > 0
  }

  function pause(name: string): void {
    const key = keys.of(name)
    key.limit = 1
    queue.reject(key, "paused")
  }

  /** Of a key that is known to work again. Its failures are kept, so that the next one opens the breaker again. */
  function close(name: string): void {
    const { breaker } = keys.read(name)
    if (!isBreakerOpen(breaker)) return
    breaker.openedAt = null
    settings.onBreaker?.(name, "closed", breaker.failures)
    settings.onCapacity?.(name)
  }

  return {
    acquire,
    close,
    /** How many more callers would get a permit within `maxWaitMs`. */
    capacity,
    pause,
    forget: keys.forget,
    /** The kind of a key, of which all keys share a maximum, and how many more permits the keys of a kind can get. */
    kindOf: (name: string) => permits.kindOf(keys.read(name)),
    freeOfKind,
    isOpen: (name: string) => isBreakerOpen(keys.read(name).breaker),
    ...readKeys(keys, permits, { startLimit, slowMs, now, capacity }),
  }
}

export type Limiter = ReturnType<typeof createLimiter>

/** What callers may know of the keys. */
function readKeys(
  keys: Keys,
  permits: ReturnType<typeof sharePermits>,
  settings: { startLimit: number; slowMs: number; now: () => number; capacity: (name: string) => number },
) {
  const { startLimit, slowMs, now, capacity } = settings
  return {
    /** `openedAt` is null while the breaker is closed. `failures`: in a row. */
    status(name: string) {
      const key = keys.read(name)
      const { openedAt, failures } = key.breaker
      const { averageMs, inFlight } = key
      return { openedAt, failures, limit: permits.limitOf(key), inFlight: inFlight.length, averageMs }
    },
    /** Keys that fail, are slow, have a permit in use for long, or have a lower limit than a new key. */
    unusual: () => {
      const isUnusual = (key: Key) =>
        isBreakerOpen(key.breaker) ||
        key.breaker.failures > 0 ||
        key.limit < startLimit ||
        permits.isSlow(key)
      return [...keys.all()].filter(isUnusual).map(({ name }) => name)
    },
    /** Keys with permits in flight, and idle keys with less capacity than a new key. */
    constrained: () =>
      [...keys.all()].flatMap(({ name, inFlight, limit, averageMs, breaker }) => {
        const unconstrained = limit >= startLimit && averageMs < slowMs && !isBreakerOpen(breaker)
        if (inFlight.length === 0 && unconstrained) return []
        return [{ key: name, capacity: capacity(name), inFlight: inFlight.length }]
      }),
    openBreakers: () =>
      [...keys.all()].flatMap((key) => {
        const { openedAt } = key.breaker
        return openedAt === null ? [] : [{ key: key.name, openedAt, probeDue: isProbeDue(key, now()) }]
      }),
    counts: () => {
      const counts = { inFlight: 0, waiting: 0, open: 0 }
      for (const { inFlight, waiting, breaker } of keys.all()) {
        counts.inFlight += inFlight.length
        counts.waiting += waiting.length
        if (isBreakerOpen(breaker)) counts.open += 1
      }
      return counts
    },
  }
}

const rejectExcessEveryMs = 50

const unknownQueueFactor = 2

/** How many keys may use the permit that one has released, before the next release. */
const maxTurns = 16

/** The callers that wait for a permit of their key, in order. */
function queueCallers(
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
   * wait. If a key waits for permits of other keys, its own response time says nothing about the wait.
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
