export type PermitOutcome = "success" | "failure" | "unknown"

export type Acquired =
  | { kind: "acquired"; release: (outcome: PermitOutcome) => void }
  | { kind: "rejected"; reason: "busy" | "breaker" | "paused" }

export type Permit = { acquiredAt: number; isProbe: boolean }

export type BreakerSettings = {
  /** Failures in a row that open the breaker; Infinity: never. */
  breakerFailures: number
  /**
   * How long an open breaker waits before it admits a probe. Each failed probe doubles the wait, up to ten
   * times this value.
   */
  breakerCooldownMs: number
}

type Breaker = {
  failures: number
  openedAt: number | null
  openUntil: number
  cooldownMs: number
}

export type Key = {
  name: string
  inFlight: Permit[]
  waiting: { since: number; settle: (acquired: Acquired) => void }[]
  /** 0 before the first response. */
  averageMs: number
  limit: number
  breaker: Breaker
}

export type Keys = ReturnType<typeof createKeys>

const forgetThreshold = 10_000

const newestResponseWeight = 0.2

/** The newest response times count most. The average is never 0, which is that of a key without a response. */
function countResponse(key: Key, ms: number): void {
  key.averageMs = Math.max(Number.MIN_VALUE, key.averageMs + (ms - key.averageMs) * newestResponseWeight)
}

/** The average, or the age of the oldest permit if that is more. */
export function responseMs({ averageMs, inFlight }: Key, now: () => number): number {
  const oldest = inFlight[0]
  return Math.max(averageMs, oldest === undefined ? 0 : now() - oldest.acquiredAt)
}

export function isBreakerOpen(breaker: Breaker): boolean {
  return breaker.openedAt !== null
}

export function isProbeDue({ breaker, inFlight }: Key, now: number): boolean {
  return now >= breaker.openUntil && inFlight.length === 0
}

export function countSuccess(breaker: Breaker, { breakerCooldownMs }: BreakerSettings): boolean {
  const wasOpen = isBreakerOpen(breaker)
  breaker.failures = 0
  breaker.cooldownMs = breakerCooldownMs
  breaker.openedAt = null
  breaker.openUntil = 0
  return wasOpen
}

export function countFailure(
  breaker: Breaker,
  { breakerFailures, breakerCooldownMs }: BreakerSettings,
  { isProbe, now }: { isProbe: boolean; now: number },
): boolean {
  breaker.failures += 1
  if (breaker.failures < breakerFailures) return false
  const wasOpen = isBreakerOpen(breaker)
  // A call that is no probe started before the breaker opened. Its failure does not lengthen the cool-down.
  if (wasOpen && !isProbe) return false
  if (wasOpen) breaker.cooldownMs = Math.min(breaker.cooldownMs * 2, breakerCooldownMs * 10)
  breaker.openedAt ??= now
  breaker.openUntil = now + breaker.cooldownMs
  return !wasOpen
}

/** All keys that differ from a new one, and others until there are many. */
export function createKeys(settings: BreakerSettings, startLimit: number) {
  const keys = new Map<string, Key>()
  let forgetFrom = forgetThreshold

  const newKey = (name: string): Key => {
    const breaker = { failures: 0, openedAt: null, openUntil: 0, cooldownMs: settings.breakerCooldownMs }
    return { name, inFlight: [], waiting: [], averageMs: 0, limit: startLimit, breaker }
  }
  const unknown = newKey("")

  function forgetIdle(): void {
    for (const { name, inFlight, waiting, breaker, limit } of keys.values()) {
      const idle = inFlight.length === 0 && waiting.length === 0
      if (idle && breaker.failures === 0 && !isBreakerOpen(breaker) && limit >= startLimit) keys.delete(name)
    }
    forgetFrom = Math.max(forgetThreshold, 2 * keys.size)
  }

  return {
    all: () => keys.values(),
    find: (name: string): Key | undefined => keys.get(name),
    read: (name: string): Readonly<Key> => keys.get(name) ?? unknown,
    of(name: string): Key {
      let key = keys.get(name)
      if (!key) {
        if (keys.size >= forgetFrom) forgetIdle()
        key = newKey(name)
        keys.set(name, key)
      }
      return key
    },
    /** Drops the state of a key that no longer exists. Permits that it still has may be released. */
    forget(name: string): void {
      if (keys.get(name)?.waiting.length === 0) keys.delete(name)
    },
  }
}

/** `unknown`: a key that has not responded yet. */
type Kind = "quick" | "slow" | "unknown"

type Settings = { slowMs: number; slowConcurrency: number; unknownConcurrency: number; now: () => number }

const recountEveryMs = 50

/** `slowKeys`: with permits. `hanging`: permits of unknown keys that are as old as a slow response. */
const noPermits = { quick: 0, slow: 0, unknown: 0, slowKeys: 0, hanging: 0 }

/** How many permits a key may have: up to its limit, and up to the maximum of all keys of its kind together. */
export function sharePermits(keys: Keys, settings: Settings) {
  const { slowMs, slowConcurrency, unknownConcurrency, now } = settings
  const maxPermits = { quick: Number.POSITIVE_INFINITY, slow: slowConcurrency, unknown: unknownConcurrency }
  let counted = { ...noPermits, countedAt: Number.NEGATIVE_INFINITY }

  const isSlow = (key: Key): boolean => responseMs(key, now) >= slowMs

  function kindOf(key: Key): Kind {
    if (key.averageMs === 0) return "unknown"
    return isSlow(key) ? "slow" : "quick"
  }

  /** Permits are counted again from time to time, because a key becomes slow while nothing of it happens. */
  function permits(): typeof counted {
    if (now() - counted.countedAt < recountEveryMs) return counted
    counted = { ...noPermits, countedAt: now() }
    for (const key of keys.all()) {
      const { length } = key.inFlight
      if (length === 0) continue
      counted[kindOf(key)] += length
      if (!isSlow(key)) continue
      counted.slowKeys += 1
      if (key.averageMs === 0) counted.hanging += length
    }
    return counted
  }

  const freeOfKind = (kind: Kind): number => Math.max(0, maxPermits[kind] - permits()[kind])

  /**
   * How many permits of its kind are free for the key. Half of those for unknown keys are for their first permits, so that a few that
   * hang leave some to others.
   */
  function freeFor(key: Key): number {
    const kind = kindOf(key)
    const free = freeOfKind(kind)
    if (kind !== "unknown") return free
    const more = Math.max(0, Math.floor(unknownConcurrency / 2) - permits().unknown)
    return key.inFlight.length === 0 ? Math.min(free, Math.max(1, more)) : more
  }

  function limitOf(key: Key): number {
    if (!isSlow(key)) return key.limit
    const sharing = Math.max(1, permits().slowKeys + (key.inFlight.length === 0 ? 1 : 0))
    return Math.min(key.limit, Math.max(1, Math.floor(slowConcurrency / sharing)))
  }

  /** How many permits the key may get now. */
  const freePermits = (key: Key): number =>
    Math.min(Math.max(0, limitOf(key) - key.inFlight.length), freeFor(key))

  /** All keys of its kind together have no more permits, although the key alone could have one. */
  const isBlocked = (key: Key): boolean => key.inFlight.length < limitOf(key) && freeFor(key) === 0

  /**
   * The key waits for permits that other unknown keys hold. After a start, those respond soon. If half of the permits hang, the wait
   * would only end with a rejection.
   */
  const isWaitVain = (key: Key): boolean =>
    key.averageMs === 0 && isBlocked(key) && 2 * permits().hanging >= unknownConcurrency

  function take(key: Key): Permit {
    const permit = { acquiredAt: now(), isProbe: isBreakerOpen(key.breaker) }
    counted[kindOf(key)] -= key.inFlight.length
    key.inFlight.push(permit)
    counted[kindOf(key)] += key.inFlight.length
    return permit
  }

  /** False if the permit was returned before. The response can change the kind of the key and of its other permits. */
  function giveBack(key: Key, permit: Permit, outcome: PermitOutcome): boolean {
    const index = key.inFlight.indexOf(permit)
    if (index < 0) return false
    counted[kindOf(key)] -= key.inFlight.length
    key.inFlight.splice(index, 1)
    if (outcome !== "unknown") countResponse(key, now() - permit.acquiredAt)
    counted[kindOf(key)] += key.inFlight.length
    return true
  }

  return { isSlow, kindOf, freeOfKind, freeFor, limitOf, freePermits, isBlocked, isWaitVain, take, giveBack }
}
