import type { ClaimedDelivery, Release } from "@sitewire/deliveries"
import { type Logger, sleepUnlessAborted } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../metrics.ts"
import { createFutureTimes } from "./backlogs.ts"

/** A little less than a second, so that a process that was late catches up. */
const lateStartInterval = 900

export type StartClaimedParts = {
  attempt: (due: ClaimedDelivery) => Promise<void>
  release: (claim: Release) => Promise<unknown>
  /** How many claimed deliveries may be unfinished. */
  most: number
  onFree: () => void
  stopping: AbortSignal
  metrics: Pick<DispatcherMetrics, "claimed">
  log: Logger
}

/** Starts the attempts of claimed deliveries, each at its time, and counts those that are unfinished. */
export function createStartClaimed(parts: StartClaimedParts) {
  const { attempt, release, most, onFree, stopping, metrics, log } = parts
  const nextStarts = createFutureTimes()
  let unfinished = 0
  let onIdle = () => {}

  async function start(due: ClaimedDelivery): Promise<void> {
    unfinished += 1
    if (due.claim.deferredAt) metrics.claimed.inc()
    try {
      await attemptAtItsTime(due)
    } catch (error) {
      if (stopping.aborted) return
      const { id: delivery, attempt, correlation } = due
      log.error(
        { delivery, attempt, correlation, error },
        "a claimed delivery could not be attempted; it is claimed again when its lease ends",
      )
    } finally {
      unfinished -= 1
      if (unfinished === 0) onIdle()
      if (unfinished === most - 1) onFree()
    }
  }

  async function attemptAtItsTime(due: ClaimedDelivery): Promise<unknown> {
    const { id, channel, claim } = due
    await sleepUntil(claim.startAt)
    if (channel.max_per_second !== null && claim.deferredAt)
      await sleepUntil(paceStart(channel.channel_id, channel.max_per_second))
    if (!stopping.aborted) return attempt(due)
    return release({ id, leaseExpiresAt: claim.leaseExpiresAt, reason: "busy" })
  }

  async function sleepUntil(at: number): Promise<void> {
    const ms = at - performance.now()
    if (ms > 0) await sleepUnlessAborted(ms, stopping)
  }

  /** If this process was late, attempts whose starts have passed follow each other at nearly the channel's rate. */
  function paceStart(channel: string, perSecond: number): number {
    const startAt = nextStarts.nowOrLater(channel)
    nextStarts.set(channel, startAt + lateStartInterval / perSecond)
    return startAt
  }

  return {
    /** Resolves when the delivery is finished. Never rejects. */
    start,
    free: () => Math.max(0, most - unfinished),
    /** Resolves when all are finished, or after `deadlineMs`. */
    async idle(deadlineMs: number): Promise<void> {
      if (unfinished === 0) return
      const idle = new AbortController()
      onIdle = () => idle.abort()
      await sleepUnlessAborted(deadlineMs, idle.signal)
    },
  }
}

export type StartClaimed = ReturnType<typeof createStartClaimed>
