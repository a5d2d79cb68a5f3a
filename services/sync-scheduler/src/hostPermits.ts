import { createLimiter, type LimiterSettings, type PermitOutcome } from "@sitewire/limiter"
import type { ClaimInput, Free } from "./claimDue.ts"
import type { GrantedRun, SyncResult } from "./sync.ts"

export type HostPermitSettings = {
  /** Syncs in flight in this process, at most. */
  maxRunning: number
  /** Syncs in flight of one host, at most. */
  maxPerHost: number
  /** Of a host of which nothing is known. */
  startPerHost?: number
  /** A host whose syncs take longer is slow. */
  slowMs: number
  windowMs: number
  onBreaker?: LimiterSettings["onBreaker"]
}

/** Failures in a row: more than the syncs that a host starts with, so one short interruption does not open it. */
const breakerFailures = 8

/**
 * Limits the syncs in flight, in total and per source host, and tells claims what is free. A host begins with few and
 * gets one more with each success.
 *
 * Half of the permits, of the process and of each host, are not for slow connections: each may hold its permit for the
 * whole deadline, so a host that hangs, or many, would make all others wait for minutes. The limiter does the same for
 * hosts; a connection's own slowness is in Postgres, so it survives a restart and is known to every scheduler.
 *
 * A host's circuit breaker opens after failures that concern the host. While it is open its connections stay due, so
 * they do not use up their retries. The cool-down is a twentieth of a window and at most half of one: a trigger for a
 * host that has recovered waits that long at most for the probe, and then for the host's limit to grow from 1.
 */
export function createHostPermits(settings: HostPermitSettings) {
  const { maxRunning, maxPerHost, startPerHost = 4, slowMs, windowMs, onBreaker } = settings
  const startConcurrency = Math.min(startPerHost, maxPerHost)
  const limiter = createLimiter({
    maxConcurrency: maxPerHost,
    startConcurrency,
    slowMs,
    slowConcurrency: shareOfSlow(maxRunning),
    maxWaitMs: 0,
    breakerFailures,
    breakerCooldownMs: windowMs / 20,
    ...(onBreaker ? { onBreaker } : {}),
  })
  const slow = { total: 0, byHost: new Map<string, number>() }
  /** Hosts of the newest grants: they may be idle again, and have earned more than a host of which nothing is known. */
  const recent = new Set<string>()

  function countSlow(host: string, by: 1 | -1): void {
    const ofHost = (slow.byHost.get(host) ?? 0) + by
    if (ofHost === 0) slow.byHost.delete(host)
    else slow.byHost.set(host, ofHost)
    slow.total += by
  }

  function freeOf(capacity: number, inFlight: number, slowInFlight: number): Free {
    return { all: capacity, slow: Math.min(capacity, shareOfSlow(capacity + inFlight) - slowInFlight) }
  }

  return {
    /** What a claim may grant while so many syncs are in flight or their ends are being recorded. */
    free(running: number): ClaimInput {
      const known = limiter.constrained()
      for (const { key } of known) recent.delete(key)
      for (const key of recent) known.push({ key, capacity: limiter.capacity(key), inFlight: 0 })
      recent.clear()
      return {
        total: freeOf(maxRunning - running, running, slow.total),
        hosts: known.map(({ key, capacity, inFlight }) => ({
          host: key,
          free: freeOf(capacity, inFlight, slow.byHost.get(key) ?? 0),
          isProbe: limiter.isOpen(key),
        })),
        otherHost: freeOf(startConcurrency, 0, 0),
      }
    },
    /** Null if the host has lost its capacity since the claim. */
    acquire({
      host,
      slow: isSlow,
    }: Pick<GrantedRun, "host" | "slow">): ((outcome: PermitOutcome) => void) | null {
      const acquired = limiter.acquire(host)
      // Nothing waits here: what has no permit waits in Postgres.
      if (acquired instanceof Promise || acquired.kind === "rejected") return null
      recent.add(host)
      if (isSlow) countSlow(host, 1)
      return (seen) => {
        if (isSlow) countSlow(host, -1)
        acquired.release(seen)
      }
    },
    openBreakers: () => limiter.counts().open,
  }
}

export type HostPermits = ReturnType<typeof createHostPermits>

function shareOfSlow(permits: number): number {
  return Math.max(1, Math.floor(permits / 2))
}

const timeLimits = new Set(["timeout", "late-start"])
const hostFailures = new Set(["connect", "dns", "tls", "reset", ...timeLimits])
/** The host has responded, so it is reachable: these concern one connection. */
const responses = new Set(["status", "too-large"])

/** What a sync shows of its host. */
export function seenOfHost(result: SyncResult): PermitOutcome {
  if (result.outcome === "abandoned") return "unknown"
  if (!("error" in result)) return "success"
  if (responses.has(result.error)) return "success"
  return hostFailures.has(result.error) ? "failure" : "unknown"
}

/** Whether a sync that took so long makes its connection slow. */
export function isSlow(result: SyncResult, ms: number, slowMs: number): boolean {
  if ("error" in result && timeLimits.has(result.error)) return true
  return seenOfHost(result) === "success" && ms >= slowMs
}
