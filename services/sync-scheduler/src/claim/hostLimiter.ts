import { createLimiter, type LimiterSettings, type PermitOutcome } from "@sitewire/limiter"
import type { ClaimInput, FreePermits, GrantedRun } from "@sitewire/syncs"

export type HostLimiterSettings = {
  maxRunning: number
  maxPerHost: number
  startPerHost?: number
  deadlineMs: number
  windowMs: number
  onBreaker?: LimiterSettings["onBreaker"]
  now?: () => number
}

/** A host has 4 permits at first, so an interruption in which all 4 syncs fail does not open its circuit breaker. */
const breakerFailures = 8

/**
 * A host of which no sync ended for so many windows is forgotten, because nothing else shows that its connections were deleted or
 * changed. A connection that fails is synced at least every 15 windows.
 */
const forgetAfterWindows = 20

/**
 * Limits the syncs in flight of this process, in total and per source host. Slow connections get at most half of the permits, in total
 * and of each host. While a host's circuit breaker is open, only probes start: its other connections stay due.
 */
export function createHostLimiter(settings: HostLimiterSettings) {
  const { maxRunning, maxPerHost, startPerHost = 4, deadlineMs, windowMs, onBreaker } = settings
  const { now = () => performance.now() } = settings
  const startConcurrency = Math.min(startPerHost, maxPerHost)
  const equalShare = createEqualShare({ maxRunning, windowMs, mostMs: deadlineMs / 5, now })
  const limiter = createLimiter({
    maxConcurrency: maxPerHost,
    startConcurrency,
    // Slow connections are limited, and not slow hosts: one host may have both kinds.
    slowMs: Number.POSITIVE_INFINITY,
    slowConcurrency: Number.POSITIVE_INFINITY,
    maxWaitMs: 0,
    breakerFailures,
    // The limiter doubles this up to ten times its value, so a recovered host waits at most half of a window.
    breakerCooldownMs: windowMs / 20,
    now,
    ...(onBreaker ? { onBreaker } : {}),
  })
  const slow = { total: 0, byHost: new Map<string, number>() }
  /** Hosts that got permits since the last call of `free`: `constrained` omits idle ones, which may have more capacity than `otherHost`. */
  const recent = new Set<string>()
  /** When the last sync of a host ended. */
  const lastUsed = new Map<string, number>()
  let lookedForUnusedAt = now()

  function countSlow(host: string, by: 1 | -1): void {
    const ofHost = (slow.byHost.get(host) ?? 0) + by
    if (ofHost === 0) slow.byHost.delete(host)
    else slow.byHost.set(host, ofHost)
    slow.total += by
  }

  function forgetUnused(): void {
    if (now() - lookedForUnusedAt < windowMs) return
    lookedForUnusedAt = now()
    const unusual = new Set(limiter.unusual())
    for (const [host, usedAt] of lastUsed) {
      const isUnused = now() - usedAt >= forgetAfterWindows * windowMs
      if (isUnused) limiter.forget(host)
      if (isUnused || !unusual.has(host)) lastUsed.delete(host)
    }
  }

  function freePermits(capacity: number, inFlight: number, slowInFlight: number): FreePermits {
    return { all: capacity, slow: Math.min(capacity, shareOfSlow(capacity + inFlight) - slowInFlight) }
  }

  return {
    free(running: number): ClaimInput {
      forgetUnused()
      const known = limiter.constrained()
      for (const { key } of known) recent.delete(key)
      for (const key of recent) known.push({ key, capacity: limiter.capacity(key), inFlight: 0 })
      recent.clear()
      return {
        total: freePermits(maxRunning - running, running, slow.total),
        reserved: Math.floor(maxRunning / 4),
        hosts: known.map(({ key, capacity, inFlight }) => ({
          host: key,
          inFlight,
          free: freePermits(capacity, inFlight, slow.byHost.get(key) ?? 0),
          isProbe: limiter.isOpen(key),
        })),
        otherHost: freePermits(startConcurrency, 0, 0),
      }
    },
    /** Returns the function that releases the permit. Null if the host has lost its capacity. */
    acquire({
      host,
      slow: isSlow,
    }: Pick<GrantedRun, "host" | "slow">): ((outcome: PermitOutcome) => void) | null {
      const acquired = limiter.acquire(host)
      // `acquire` never returns a promise, because `maxWaitMs` is 0.
      if (acquired instanceof Promise || acquired.kind === "rejected") return null
      recent.add(host)
      if (isSlow) countSlow(host, 1)
      return (outcome) => {
        if (isSlow) countSlow(host, -1)
        acquired.release(outcome)
        equalShare.countSync()
        lastUsed.set(host, now())
      }
    },
    /** Hosts of which no more syncs may start now. */
    full: () => limiter.constrained().flatMap(({ key, capacity }) => (capacity > 0 ? [] : [key])),
    /** A connection whose sync takes so long is slow. */
    slowMs: equalShare.ms,
    openBreakers: () => limiter.counts().open,
  }
}

export type HostLimiter = ReturnType<typeof createHostLimiter>

function shareOfSlow(permits: number): number {
  return Math.max(1, Math.floor(permits / 2))
}

type EqualShareSettings = {
  maxRunning: number
  windowMs: number
  /** What takes this long is more than an equal share, however few syncs there are. */
  mostMs: number
  now: () => number
}

/**
 * How long a sync may take so that this process could run all syncs of a window if each took as long: a connection whose sync takes
 * longer counts as slow. Of the last window and this one, the larger number of syncs is used.
 */
export function createEqualShare({ maxRunning, windowMs, mostMs, now }: EqualShareSettings) {
  let [before, current] = [0, 0]
  let beganAt = now()

  function beginWindow(): void {
    const windows = Math.floor((now() - beganAt) / windowMs)
    if (windows === 0) return
    before = windows === 1 ? current : 0
    current = 0
    beganAt += windows * windowMs
  }

  return {
    countSync(): void {
      beginWindow()
      current += 1
    },
    ms(): number {
      beginWindow()
      return Math.min(mostMs, (maxRunning * windowMs) / Math.max(1, before, current))
    },
  }
}
