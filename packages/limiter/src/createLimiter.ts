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
  /** How many permits all slow keys may hold together, or one each if there are more keys. */
  slowConcurrency: number
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

const forgetThreshold = 1_000

const newestResponseWeight = 0.2

const unknownQueueFactor = 2

type Permit = { acquiredAt: number; isProbe: boolean }

type State = {
  inFlight: Permit[]
  waiting: { settle: (acquired: Acquired) => void }[]
  /** 0 before the first response. */
  averageMs: number
  limit: number
  breaker: Breaker
}

/**
 * Limits how many calls run at the same time, so that one key (a channel or a source host) cannot delay the
 * others. Each key has a concurrency limit and a circuit breaker.
 */
export function createLimiter(settings: LimiterSettings) {
  const {
    maxConcurrency,
    startConcurrency = 8,
    slowMs = 500,
    slowConcurrency,
    maxWaitMs,
    now = () => performance.now(),
  } = settings
  const states = new Map<string, State>()
  let forgetFrom = forgetThreshold
  let rejecting: NodeJS.Timeout | undefined
  const startLimit = Math.min(maxConcurrency, startConcurrency)
  let slow = { keys: 0, countedAt: Number.NEGATIVE_INFINITY }

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

  function countSlow(): number {
    if (now() - slow.countedAt >= rejectExcessEveryMs) {
      let keys = 0
      for (const state of states.values())
        if (state.inFlight.length > 0 && responseMs(state) >= slowMs) keys += 1
      slow = { keys, countedAt: now() }
    }
    return slow.keys
  }

  function limitOf(state: State): number {
    if (responseMs(state) < slowMs) return state.limit
    const sharing = Math.max(1, countSlow() + (state.inFlight.length === 0 ? 1 : 0))
    return Math.min(state.limit, Math.max(1, Math.floor(slowConcurrency / sharing)))
  }

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
   * Rejects callers that have queued and would now wait too long: while a key does not respond, `responseMs`
   * grows, so fewer callers may wait.
   */
  function rejectExcessWaiting(): void {
    let anyWaits = false
    for (const state of states.values()) {
      if (state.waiting.length === 0) continue
      for (const { settle } of state.waiting.splice(maxWaiting(state)))
        settle({ kind: "rejected", reason: "busy" })
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
    if (state.inFlight.length < limitOf(state)) return admit(key, state)
    if (state.waiting.length >= maxWaiting(state)) return { kind: "rejected", reason: "busy" }
    rejecting ??= setInterval(rejectExcessWaiting, rejectExcessEveryMs)
    return new Promise((settle) => void state.waiting.push({ settle }))
  }

  function isProbeDue({ breaker, inFlight }: State): boolean {
    return isCoolDownOver(breaker, now()) && inFlight.length === 0
  }

  function capacity(key: string): number {
    const state = states.get(key)
    if (!state) return startLimit * (maxWaitMs > 0 ? 1 + unknownQueueFactor : 1)
    if (isBreakerOpen(state.breaker)) return isProbeDue(state) ? 1 : 0
    const free = Math.max(0, limitOf(state) - state.inFlight.length)
    return free + Math.max(0, queueLimit(state) - state.waiting.length)
  }

  function hasSpareCapacity(state: State): boolean {
    if (isBreakerOpen(state.breaker)) return false
    if (state.waiting.length === 0 && state.inFlight.length < limitOf(state)) return true
    return state.waiting.length < queueLimit(state) / 2
  }

  function admit(key: string, state: State): Acquired {
    const permit = { acquiredAt: now(), isProbe: isBreakerOpen(state.breaker) }
    state.inFlight.push(permit)
    return { kind: "acquired", release: (outcome) => release(key, state, permit, outcome) }
  }

  function release(key: string, state: State, permit: Permit, outcome: PermitOutcome): void {
    const index = state.inFlight.indexOf(permit)
    if (index < 0) return
    state.inFlight.splice(index, 1)
    if (outcome !== "unknown")
      state.averageMs += (now() - permit.acquiredAt - state.averageMs) * newestResponseWeight
    if (outcome === "success") succeeded(key, state)
    if (outcome === "failure") failed(key, state, permit)
    admitWaiting(key, state)
    if (settings.onCapacity && hasSpareCapacity(state)) settings.onCapacity(key)
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
    while (state.inFlight.length < limitOf(state)) {
      const next = state.waiting.shift()
      if (!next) return
      next.settle(admit(key, state))
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
    const { breaker, limit, averageMs } = state
    return isBreakerOpen(breaker) || breaker.failures > 0 || limit < startLimit || averageMs >= slowMs
  }

  return {
    acquire,
    /** Keys that fail, are slow, or have a lower limit than a new key. */
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
