import type { Logger } from "@sitewire/runtime"
import { sleepUnlessAborted } from "@sitewire/runtime"
import type { DueDelivery } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import { createFutureTimes } from "./futureTimes.ts"

/** A little less than a second, so that a process that was late catches up. */
const lateStartInterval = 900

export type StartClaimedParts = {
  /** Resolves when the outcome is durable or the claim is released. */
  attempt: (due: DueDelivery) => Promise<void>
  release: (due: DueDelivery) => Promise<void>
  /** Called when a claimed delivery is finished. */
  onFinished: () => void
  stopping: AbortSignal
  metrics: Pick<DispatcherMetrics, "claimed">
  log: Logger
}

/** Starts the attempts of claimed deliveries, each at its time, and counts those that are unfinished. */
export function createStartClaimed(parts: StartClaimedParts) {
  const { attempt, release, onFinished, stopping, metrics, log } = parts
  const nextStarts = createFutureTimes()
  let unfinished = 0
  let onIdle = () => {}

  function start(due: DueDelivery): void {
    unfinished += 1
    metrics.claimed.inc()
    attemptAtItsTime(due)
      .catch((error: unknown) => {
        if (stopping.aborted) return
        const { id: delivery, attempt, correlation } = due
        log.error(
          { delivery, attempt, correlation, error },
          "a deferred delivery could not be attempted; it is claimed again when its lease ends",
        )
      })
      .finally(() => {
        unfinished -= 1
        if (unfinished === 0) onIdle()
        onFinished()
      })
  }

  async function attemptAtItsTime(due: DueDelivery): Promise<void> {
    const { channel, claim } = due
    if (channel.maxPerSecond === null || claim === null) return attempt(due)
    await sleepUntil(claim.startAt)
    await sleepUntil(paceStart(channel.id, channel.maxPerSecond))
    return stopping.aborted ? release(due) : attempt(due)
  }

  const sleepUntil = (at: number) => sleepUnlessAborted(at - performance.now(), stopping)

  /**
   * If this process was late, attempts whose starts have passed follow each other at nearly the channel's rate, and
   * not all at once.
   */
  function paceStart(channel: string, perSecond: number): number {
    const startAt = nextStarts.nowOrLater(channel)
    nextStarts.set(channel, startAt + lateStartInterval / perSecond)
    return startAt
  }

  return {
    start,
    unfinished: () => unfinished,
    /** Resolves when all are finished, or after `deadlineMs`. */
    async idle(deadlineMs: number): Promise<void> {
      if (unfinished === 0) return
      const idle = new AbortController()
      onIdle = () => idle.abort()
      await sleepUnlessAborted(deadlineMs, idle.signal)
    },
  }
}
