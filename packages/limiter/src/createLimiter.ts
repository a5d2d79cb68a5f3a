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
  /** Permits of one key, at most. */
  maxConcurrency: number
  /** Permits of a key of which nothing is known. One more with each success. */
  startConcurrency?: number
  /**
   * A key whose responses take longer, usually or now, is slow: its permits hold what all keys share. A dozen slow
   * keys would otherwise have everything, and a key that is slow and succeeds never opens its breaker.
   */
  slowMs?: number
  /** Permits of all slow keys together, at most, as long as each has one. */
  slowConcurrency: number
  /** What would wait longer for a permit is rejected, in milliseconds. */
  maxWaitMs: number
  now?: () => number
  onBreaker?: (key: string, state: "open" | "closed", failures: number) => void
  /**
   * A release left capacity: a permit is free, or less than half of the queue is used. Called for most releases, so it
   * must be cheap.
   */
  onCapacity?: (key: string) => void
}

export type PermitOutcome = "success" | "failure" | "unknown"

export type Acquired =
  /** `release` must be called at the end, with what was seen of the key. */
  | { kind: "acquired"; release: (seen: PermitOutcome) => void }
  /** The key has no capacity now. */
  | { kind: "rejected"; reason: "busy" | "breaker" | "paused" }

/** How often the queues are checked while anything waits. */
const sweepEveryMs = 50

/** Keys are remembered between permits; from so many on, those of which nothing special is known are forgotten. */
const forgetThreshold = 1_000

/** How fast a key's usual response time follows the newest responses: each counts for a fifth. */
const newestWeight = 0.2

/** A key without a known response time has an unbounded queue. `capacity` reports so many times its limit. */
const unknownQueueFactor = 2

/** `isProbe`: it passed an open breaker, to see whether the key has recovered. */
type Permit = { acquiredAt: number; isProbe: boolean }

type State = {
  /** The oldest first. */
  inFlight: Permit[]
  waiting: { settle: (acquired: Acquired) => void }[]
  /** 0 while no response has been seen. */
  averageMs: number
  /** Permits, if the key were not slow: 1 after a pause or an open breaker, one more with each success. */
  limit: number
  breaker: Breaker
}

/**
 * Keeps one key (a channel, a source host) from delaying the others: a concurrency limit per key, a shared cap for all
 * slow keys, and a circuit breaker per key. A key that responds quickly may be waited for a little; one that hangs
 * rejects at once, so it uses no more of the process than its own limit. State is in memory: a new process learns anew.
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
  let sweep: NodeJS.Timeout | undefined
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

  /** How long its responses take, usually or now. */
  function slownessOf({ averageMs, inFlight }: State): number {
    const oldest = inFlight[0]
    return Math.max(averageMs, oldest === undefined ? 0 : now() - oldest.acquiredAt)
  }

  function countSlow(): number {
    // It changes slowly, and there may be thousands of keys.
    if (now() - slow.countedAt >= sweepEveryMs) {
      let keys = 0
      for (const state of states.values())
        if (state.inFlight.length > 0 && slownessOf(state) >= slowMs) keys += 1
      slow = { keys, countedAt: now() }
    }
    return slow.keys
  }

  function limitOf(state: State): number {
    if (slownessOf(state) < slowMs) return state.limit
    // A slow key with nothing in flight is not among those that were counted, and would be with its first permit.
    const sharing = Math.max(1, countSlow() + (state.inFlight.length === 0 ? 1 : 0))
    return Math.min(state.limit, Math.max(1, Math.floor(slowConcurrency / sharing)))
  }

  /** How many may wait: the last would wait `maxWaitMs` if each is as slow as usual, or as the slowest now. */
  function maxWaiting(state: State): number {
    if (maxWaitMs <= 0) return 0
    const slowness = slownessOf(state)
    return slowness === 0 ? Number.POSITIVE_INFINITY : Math.floor((maxWaitMs / slowness) * limitOf(state))
  }

  /** The queue has a bound also while nothing is known of the key: its first responses may show that it is slow. */
  function queueLimit(state: State): number {
    const room = maxWaiting(state)
    return state.averageMs === 0 ? Math.min(room, unknownQueueFactor * limitOf(state)) : room
  }

  /** What waits notices a key that has begun to hang: the longer it hangs, the fewer may wait. */
  function rejectExcessWaiting(): void {
    let anyWaits = false
    for (const state of states.values()) {
      if (state.waiting.length === 0) continue
      for (const { settle } of state.waiting.splice(maxWaiting(state)))
        settle({ kind: "rejected", reason: "busy" })
      anyWaits ||= state.waiting.length > 0
    }
    if (anyWaits) return
    clearInterval(sweep)
    sweep = undefined
  }

  function acquire(key: string): Acquired | Promise<Acquired> {
    const state = stateOf(key)
    if (isBreakerOpen(state.breaker)) {
      if (!isProbeDue(state)) return { kind: "rejected", reason: "breaker" }
      return admit(key, state)
    }
    if (state.inFlight.length < limitOf(state)) return admit(key, state)
    if (state.waiting.length >= maxWaiting(state)) return { kind: "rejected", reason: "busy" }
    sweep ??= setInterval(rejectExcessWaiting, sweepEveryMs)
    return new Promise((settle) => void state.waiting.push({ settle }))
  }

  /** After the cool-down, one probe at a time. */
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

  /** Whether a caller that claims work should now claim more of it, so that no permit becomes idle. */
  function hasSpareCapacity(state: State): boolean {
    if (isBreakerOpen(state.breaker)) return false
    if (state.waiting.length === 0 && state.inFlight.length < limitOf(state)) return true
    return state.waiting.length < queueLimit(state) / 2
  }

  function admit(key: string, state: State): Acquired {
    const permit = { acquiredAt: now(), isProbe: isBreakerOpen(state.breaker) }
    state.inFlight.push(permit)
    return { kind: "acquired", release: (seen) => release(key, state, permit, seen) }
  }

  function release(key: string, state: State, permit: Permit, seen: PermitOutcome): void {
    const index = state.inFlight.indexOf(permit)
    if (index < 0) return
    state.inFlight.splice(index, 1)
    if (seen !== "unknown") state.averageMs += (now() - permit.acquiredAt - state.averageMs) * newestWeight
    if (seen === "success") succeeded(key, state)
    if (seen === "failure") failed(key, state, permit)
    admitWaiting(key, state)
    if (settings.onCapacity && hasSpareCapacity(state)) settings.onCapacity(key)
  }

  function succeeded(key: string, state: State): void {
    const closed = countSuccess(state.breaker, settings)
    // What is due of a key that has just recovered comes all at once, so its limit grows from 1 with each success.
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

  return {
    /** Asks for a permit: settled at once where one is free or none will be soon, otherwise when one is. */
    acquire,
    /** How many more would get a permit now or within `maxWaitMs`; of an open breaker, one where a probe is due. */
    capacity,
    /** The key is paused: rejects what waits. After the resume, the limit grows from 1 with each success. */
    pause,
    isOpen: (key: string): boolean => {
      const state = states.get(key)
      return state !== undefined && isBreakerOpen(state.breaker)
    },
    /** `openedAt`: when it first opened, by `now`. `probeDue`: `acquire` would admit one probe. */
    openBreakers: () => {
      const open: { key: string; openedAt: number; probeDue: boolean }[] = []
      for (const [key, state] of states) {
        const { openedAt } = state.breaker
        if (openedAt !== null) open.push({ key, openedAt, probeDue: isProbeDue(state) })
      }
      return open
    },
    /** Keys with something in flight, and keys with less capacity than one of which nothing is known. */
    constrained: () => {
      const found: { key: string; capacity: number; inFlight: number }[] = []
      for (const [key, { inFlight, limit, averageMs, breaker }] of states) {
        const unremarkable = limit >= startLimit && averageMs < slowMs && !isBreakerOpen(breaker)
        if (inFlight.length > 0 || !unremarkable)
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
