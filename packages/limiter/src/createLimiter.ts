import {
  type Breaker,
  type BreakerSettings,
  countFailure,
  countSuccess,
  createBreaker,
  isBreakerOpen,
  isCoolDownOver,
} from "./circuitBreaker.ts"

export type LimiterSettings = BreakerSettings & {
  /** How many permits one key may hold, at most. A permit allows one call. See `createLimiter` for keys. */
  maxConcurrency: number
  /** The limit of a new key; it grows by one with each success. */
  startConcurrency?: number
  /** A key is slow if its average response time, or the age of its oldest permit, reaches this. */
  slowMs?: number
  /** How many permits all slow keys may hold together, however many keys there are. */
  slowConcurrency: number
  /** The same for all keys that have not responded yet, because they may hang. No limit by default. */
  unknownConcurrency?: number
  /** Callers that would wait longer than this are rejected. */
  maxWaitMs: number
  now?: () => number
  onBreaker?: (key: string, state: "open" | "closed", failures: number) => void
  /**
   * Called when a permit is released, if the key then has a free permit or a queue that is less than half
   * full. Not called while the key's breaker is open.
   */
  onCapacity?: (key: string) => void
}

export type KeyStatus = {
  /** Null: the breaker is closed. */
  openedAt: number | null
  /** Failures in a row. */
  failures: number
  limit: number
  inFlight: number
  averageMs: number
}

export type PermitOutcome = "success" | "failure" | "unknown"

export type Acquired =
  | { kind: "acquired"; release: (outcome: PermitOutcome) => void }
  | { kind: "rejected"; reason: "busy" | "breaker" | "paused" }

const rejectExcessEveryMs = 50

const forgetThreshold = 10_000

const newestResponseWeight = 0.2

const unknownQueueFactor = 2

/** How many keys may use the permit that one has released, before the next release. */
const maxTurns = 16

/** The response times of a key, of which the newest count most. Never 0, which is that of a key without a response. */
const averageWith = ({ averageMs }: State, newestMs: number): number =>
  Math.max(Number.MIN_VALUE, averageMs + (newestMs - averageMs) * newestResponseWeight)

/** `slowKeys`: with permits. `hanging`: permits of unknown keys that are as old as a slow response. */
const noPermits = { quick: 0, slow: 0, unknown: 0, slowKeys: 0, hanging: 0 }

type Permit = { acquiredAt: number; isProbe: boolean }

type State = {
  inFlight: Permit[]
  waiting: { since: number; settle: (acquired: Acquired) => void }[]
  /** 0 before the first response. */
  averageMs: number
  limit: number
  breaker: Breaker
}

/** `unknown`: a key that has not responded yet. */
type Kind = "quick" | "slow" | "unknown"

/**
 * Limits how many calls run at the same time, so that one key (a channel or a source host) cannot delay the
 * others. Each key has a concurrency limit and a circuit breaker. All slow keys together, and all that have not responded yet,
 * have a maximum, so that quick keys get permits however many others hang.
 */
export function createLimiter(settings: LimiterSettings) {
  const {
    maxConcurrency,
    startConcurrency = 8,
    slowMs = 500,
    slowConcurrency,
    unknownConcurrency = Number.POSITIVE_INFINITY,
    maxWaitMs,
    now = () => performance.now(),
  } = settings
  const states = new Map<string, State>()
  let forgetFrom = forgetThreshold
  let rejecting: NodeJS.Timeout | undefined
  const startLimit = Math.min(maxConcurrency, startConcurrency)
  const maxPermits = { quick: Number.POSITIVE_INFINITY, slow: slowConcurrency, unknown: unknownConcurrency }
  let counted = { ...noPermits, countedAt: Number.NEGATIVE_INFINITY }
  /** Keys whose callers wait because all keys of their kind together have no more permits, in the order of their turns. */
  const blocked = {
    quick: new Map<string, State>(),
    slow: new Map<string, State>(),
    unknown: new Map<string, State>(),
  }

  function stateOf(key: string): State {
    let state = states.get(key)
    if (!state) {
      if (states.size >= forgetFrom) forgetIdleKeys()
      state = {
        inFlight: [],
        waiting: [],
        averageMs: 0,
        limit: startLimit,
        breaker: createBreaker(settings),
      }
      states.set(key, state)
    }
    return state
  }

  function forgetIdleKeys(): void {
    for (const [key, { inFlight, waiting, breaker, limit }] of states) {
      const idle = inFlight.length === 0 && waiting.length === 0
      if (idle && breaker.failures === 0 && !isBreakerOpen(breaker) && limit >= startLimit) states.delete(key)
    }
    forgetFrom = Math.max(forgetThreshold, 2 * states.size)
  }

  function responseMs({ averageMs, inFlight }: State): number {
    const oldest = inFlight[0]
    return Math.max(averageMs, oldest === undefined ? 0 : now() - oldest.acquiredAt)
  }

  function kindOf(state: State): Kind {
    if (state.averageMs === 0) return "unknown"
    return responseMs(state) >= slowMs ? "slow" : "quick"
  }

  /** Permits are counted again from time to time, because a key becomes slow while nothing of it happens. */
  function permits(): typeof counted {
    if (now() - counted.countedAt < rejectExcessEveryMs) return counted
    counted = { ...noPermits, countedAt: now() }
    for (const state of states.values()) {
      const { length } = state.inFlight
      if (length === 0) continue
      counted[kindOf(state)] += length
      if (responseMs(state) < slowMs) continue
      counted.slowKeys += 1
      if (state.averageMs === 0) counted.hanging += length
    }
    return counted
  }

  const freeOfKind = (kind: Kind): number => Math.max(0, maxPermits[kind] - permits()[kind])

  /**
   * How many permits of its kind are free for the key. Half of those for unknown keys are for their first permits, so that a few that
   * hang leave some to others.
   */
  function freeFor(state: State): number {
    const kind = kindOf(state)
    const free = freeOfKind(kind)
    if (kind !== "unknown") return free
    const more = Math.max(0, Math.floor(unknownConcurrency / 2) - permits().unknown)
    return state.inFlight.length === 0 ? Math.min(free, Math.max(1, more)) : more
  }

  function limitOf(state: State): number {
    if (responseMs(state) < slowMs) return state.limit
    const sharing = Math.max(1, permits().slowKeys + (state.inFlight.length === 0 ? 1 : 0))
    return Math.min(state.limit, Math.max(1, Math.floor(slowConcurrency / sharing)))
  }

  /** How many permits the key may get now. */
  const freePermits = (state: State): number =>
    Math.min(Math.max(0, limitOf(state) - state.inFlight.length), freeFor(state))

  /** All keys of its kind together have no more permits, although the key alone could have one. */
  const isBlocked = (state: State): boolean => state.inFlight.length < limitOf(state) && freeFor(state) === 0

  /** How many callers may wait. At the current response time, the last of them waits `maxWaitMs`. */
  function maxWaiting(state: State): number {
    if (maxWaitMs <= 0) return 0
    const ms = responseMs(state)
    return ms === 0 ? Number.POSITIVE_INFINITY : Math.floor((maxWaitMs / ms) * limitOf(state))
  }

  /**
   * How long the queue may be for `capacity`. It is short before the key's first response, which may show that
   * the key is slow.
   */
  function queueLimit(state: State): number {
    const limit = maxWaiting(state)
    return state.averageMs === 0 ? Math.min(limit, unknownQueueFactor * limitOf(state)) : limit
  }

  /**
   * Rejects callers that would now wait too long: while a key does not respond, `responseMs` grows, so fewer callers may
   * wait. If a key waits for permits that other keys hold, its own response time says nothing about the wait: callers that
   * have waited for `maxWaitMs` are rejected.
   */
  function rejectExcessWaiting(): void {
    let anyWaits = false
    for (const state of states.values()) {
      if (state.waiting.length === 0) continue
      const tooMany = state.waiting.splice(maxWaiting(state))
      const inTime = isBlocked(state) ? state.waiting.findIndex(({ since }) => now() - since <= maxWaitMs) : 0
      const tooLong = state.waiting.splice(0, inTime < 0 ? state.waiting.length : inTime)
      for (const { settle } of [...tooLong, ...tooMany]) settle({ kind: "rejected", reason: "busy" })
      anyWaits ||= state.waiting.length > 0
    }
    if (anyWaits) return
    clearInterval(rejecting)
    rejecting = undefined
  }

  function acquire(key: string): Acquired | Promise<Acquired> {
    const state = stateOf(key)
    if (isBreakerOpen(state.breaker)) {
      if (!isProbeDue(state)) return { kind: "rejected", reason: "breaker" }
      return admit(key, state)
    }
    if (freePermits(state) > 0) return admit(key, state)
    if (state.waiting.length >= maxWaiting(state) || isWaitVain(state))
      return { kind: "rejected", reason: "busy" }
    rejecting ??= setInterval(rejectExcessWaiting, rejectExcessEveryMs)
    if (isBlocked(state)) blocked[kindOf(state)].set(key, state)
    return new Promise((settle) => void state.waiting.push({ since: now(), settle }))
  }

  /**
   * A caller of an unknown key waits for permits that other unknown keys hold. After a start, those respond soon. If half of the
   * permits hang, the wait would only end with a rejection.
   */
  function isWaitVain(state: State): boolean {
    return state.averageMs === 0 && isBlocked(state) && 2 * permits().hanging >= unknownConcurrency
  }

  function isProbeDue({ breaker, inFlight }: State): boolean {
    return isCoolDownOver(breaker, now()) && inFlight.length === 0
  }

  function capacity(key: string): number {
    const state = states.get(key)
    if (!state)
      return Math.min(startLimit * (maxWaitMs > 0 ? 1 + unknownQueueFactor : 1), freeOfKind("unknown"))
    if (isBreakerOpen(state.breaker)) return isProbeDue(state) ? 1 : 0
    const most = freePermits(state) + Math.max(0, queueLimit(state) - state.waiting.length)
    return Math.min(most, freeFor(state))
  }

  function hasSpareCapacity(state: State): boolean {
    if (isBreakerOpen(state.breaker)) return false
    if (state.waiting.length === 0 && freePermits(state) > 0) return true
    return state.waiting.length < queueLimit(state) / 2 && freeFor(state) > 0
  }

  function admit(key: string, state: State): Acquired {
    const permit = { acquiredAt: now(), isProbe: isBreakerOpen(state.breaker) }
    recount(state, () => state.inFlight.push(permit))
    return { kind: "acquired", release: (outcome) => release(key, state, permit, outcome) }
  }

  function release(key: string, state: State, permit: Permit, outcome: PermitOutcome): void {
    const index = state.inFlight.indexOf(permit)
    if (index < 0) return
    recount(state, () => {
      state.inFlight.splice(index, 1)
      if (outcome !== "unknown") state.averageMs = averageWith(state, now() - permit.acquiredAt)
    })
    if (outcome === "success") succeeded(key, state)
    if (outcome === "failure") failed(key, state, permit)
    // Others first, so that keys of a kind take turns.
    admitBlocked()
    admitWaiting(key, state)
    if (settings.onCapacity && hasSpareCapacity(state)) settings.onCapacity(key)
  }

  /** The permits are counted before and after, because a response can also change the key's kind. */
  function recount(state: State, change: () => void): void {
    counted[kindOf(state)] -= state.inFlight.length
    change()
    counted[kindOf(state)] += state.inFlight.length
  }

  function succeeded(key: string, state: State): void {
    const closed = countSuccess(state.breaker, settings)
    // After the breaker closes, all waiting work arrives at once, so the limit starts at 1.
    state.limit = closed ? 1 : Math.min(maxConcurrency, state.limit + 1)
    if (closed) settings.onBreaker?.(key, "closed", 0)
  }

  function failed(key: string, { breaker }: State, { isProbe }: Permit): void {
    if (countFailure(breaker, settings, { isProbe, now: now() }))
      settings.onBreaker?.(key, "open", breaker.failures)
  }

  function admitWaiting(key: string, state: State): void {
    if (isBreakerOpen(state.breaker)) {
      rejectWaiting(state, "breaker")
      return
    }
    while (freePermits(state) > 0) {
      const next = state.waiting.shift()
      if (!next) return
      next.settle(admit(key, state))
    }
    if (state.waiting.length > 0 && isBlocked(state)) blocked[kindOf(state)].set(key, state)
  }

  /** Gives permits that a key has released to the callers of others, one key after the other. */
  function admitBlocked(): void {
    for (const kind of ["slow", "unknown"] as const) {
      let turns = Math.min(maxTurns, blocked[kind].size)
      for (const [key, state] of blocked[kind]) {
        if (turns-- === 0 || freeOfKind(kind) === 0) break
        blocked[kind].delete(key)
        admitWaiting(key, state)
      }
    }
  }

  function rejectWaiting({ waiting }: State, reason: "breaker" | "paused"): void {
    for (const { settle } of waiting.splice(0)) settle({ kind: "rejected", reason })
  }

  function pause(key: string): void {
    const state = stateOf(key)
    state.limit = 1
    rejectWaiting(state, "paused")
  }

  function isUnusual(state: State): boolean {
    const { breaker, limit } = state
    return isBreakerOpen(breaker) || breaker.failures > 0 || limit < startLimit || responseMs(state) >= slowMs
  }

  return {
    acquire,
    /** Keys that fail, are slow, have a permit in use for long, or have a lower limit than a new key. */
    unusual: (): string[] => [...states].filter(([, state]) => isUnusual(state)).map(([key]) => key),
    status(key: string): KeyStatus {
      const state = states.get(key)
      if (!state) return { openedAt: null, failures: 0, limit: startLimit, inFlight: 0, averageMs: 0 }
      const { openedAt, failures } = state.breaker
      const { averageMs, inFlight } = state
      return { openedAt, failures, limit: limitOf(state), inFlight: inFlight.length, averageMs }
    },
    /** Drops the state of a key that no longer exists. Permits that it still has may be released. */
    forget: (key: string): void => {
      const state = states.get(key)
      if (state?.waiting.length === 0) states.delete(key)
    },
    /** How many more callers would get a permit within `maxWaitMs`. */
    capacity,
    /** The kind of a key, of which all keys share a maximum, and how many more permits the keys of a kind can get. */
    kindOf: (key: string): Kind => {
      const state = states.get(key)
      return state ? kindOf(state) : "unknown"
    },
    freeOfKind,
    pause,
    isOpen: (key: string): boolean => {
      const state = states.get(key)
      return state !== undefined && isBreakerOpen(state.breaker)
    },
    openBreakers: () => {
      const open: { key: string; openedAt: number; probeDue: boolean }[] = []
      for (const [key, state] of states) {
        const { openedAt } = state.breaker
        if (openedAt !== null) open.push({ key, openedAt, probeDue: isProbeDue(state) })
      }
      return open
    },
    /** Keys with permits in flight, and idle keys with less capacity than a new key. */
    constrained: () => {
      const found: { key: string; capacity: number; inFlight: number }[] = []
      for (const [key, { inFlight, limit, averageMs, breaker }] of states) {
        const unconstrained = limit >= startLimit && averageMs < slowMs && !isBreakerOpen(breaker)
        if (inFlight.length > 0 || !unconstrained)
          found.push({ key, capacity: capacity(key), inFlight: inFlight.length })
      }
      return found
    },
    counts: () => {
      const counts = { inFlight: 0, waiting: 0, open: 0 }
      for (const { inFlight, waiting, breaker } of states.values()) {
        counts.inFlight += inFlight.length
        counts.waiting += waiting.length
        if (isBreakerOpen(breaker)) counts.open += 1
      }
      return counts
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>
