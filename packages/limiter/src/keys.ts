import {
  type Breaker,
  type BreakerSettings,
  createBreaker,
  isBreakerOpen,
  isCoolDownOver,
} from "./circuitBreaker.ts"

export type PermitOutcome = "success" | "failure" | "unknown"

export type Acquired =
  | { kind: "acquired"; release: (outcome: PermitOutcome) => void }
  | { kind: "rejected"; reason: "busy" | "breaker" | "paused" }

export type Permit = { acquiredAt: number; isProbe: boolean }

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
export function countResponse(key: Key, ms: number): void {
  key.averageMs = Math.max(Number.MIN_VALUE, key.averageMs + (ms - key.averageMs) * newestResponseWeight)
}

/** The average, or the age of the oldest permit if that is more. */
export function responseMs({ averageMs, inFlight }: Key, now: () => number): number {
  const oldest = inFlight[0]
  return Math.max(averageMs, oldest === undefined ? 0 : now() - oldest.acquiredAt)
}

export function isProbeDue({ breaker, inFlight }: Key, now: number): boolean {
  return isCoolDownOver(breaker, now) && inFlight.length === 0
}

/** All keys that differ from a new one, and others until there are many. */
export function createKeys(settings: BreakerSettings, startLimit: number) {
  const keys = new Map<string, Key>()
  let forgetFrom = forgetThreshold

  const newKey = (name: string): Key => {
    const breaker = createBreaker(settings)
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
