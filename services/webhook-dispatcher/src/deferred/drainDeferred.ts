import type { Logger } from "@sitewire/runtime"
import type { DueDelivery } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { ClaimRequest } from "./claimDeferred.ts"
import type { DeferredChannel } from "./findDeferredChannels.ts"

/** Capacity of several permits, and of several channels, is then one claim. */
const gatherMs = 2
/** How long a channel rests whose deliveries this process cannot send. Other processes may have the key that is missing. */
const faultRestMs = 30_000

export type DrainParts = {
  findDeferredChannels: () => Promise<DeferredChannel[]>
  claim: (wanted: ClaimRequest[]) => Promise<DueDelivery[]>
  limiter: { capacity: (channel: string) => number; pause: (channel: string) => void }
  /** Attempts a claimed delivery. Resolves when its outcome is durable, or it is deferred as before. */
  attempt: (due: DueDelivery) => Promise<void>
  /** Called at each look, for what else is done at intervals. */
  onPoll: () => Promise<void>
  /** How soon a resume, a resend, a lease that has ended and another dispatcher's deferrals are noticed. */
  pollIntervalMs: number
  /** Claimed and not finished over all channels, at most. */
  maxClaimed: number
  metrics: Pick<DispatcherMetrics, "claimed">
  log: Logger
}

/**
 * Attempts deferred deliveries as their channels have capacity. The limiter sets the pace: after a pause or an open breaker one at a
 * time, and one more with each success.
 */
export function drainDeferred(parts: DrainParts) {
  const { findDeferredChannels, claim, limiter, attempt, onPoll, pollIntervalMs, maxClaimed, metrics, log } = parts
  /** Channels with deferred deliveries, as far as this process knows. */
  let backlogs = new Set<string>()
  /** Those among them that were reported while they were being looked for: what is found then may be older. */
  let reported: Set<string> | null = null
  /** Those that may have capacity. */
  const ready = new Set<string>()
  const restUntil = new Map<string, number>()
  const stopping = new AbortController()
  let claimed = 0
  let wake = () => {}
  let onIdle = () => {}

  async function look(): Promise<void> {
    reported = new Set()
    const found = await findDeferredChannels().finally(() => {
      for (const channel of reported ?? []) backlogs.add(channel)
    })
    backlogs = new Set(reported)
    reported = null
    for (const { channel, paused } of found) {
      backlogs.add(channel)
      if (paused) limiter.pause(channel)
      else ready.add(channel)
    }
  }

  const isResting = (channel: string) => (restUntil.get(channel) ?? 0) > performance.now()

  function nextWanted(): ClaimRequest[] {
    const wanted: ClaimRequest[] = []
    let left = maxClaimed - claimed
    for (const channel of ready) {
      if (left <= 0) break
      ready.delete(channel)
      const most =
        isResting(channel) || !backlogs.has(channel) ? 0 : Math.min(left, limiter.capacity(channel))
      if (most <= 0) continue
      wanted.push({ channel, most })
      left -= most
    }
    return wanted
  }

  async function claimWanted(): Promise<void> {
    const wanted = nextWanted()
    if (wanted.length === 0) return
    const due = await claim(wanted)
    const counts = new Map<string, number>()
    for (const each of due) {
      counts.set(each.channel.id, (counts.get(each.channel.id) ?? 0) + 1)
      begin(each)
    }
    // What others have claimed is theirs, and new events need not be deferred behind it.
    for (const { channel, most } of wanted) if ((counts.get(channel) ?? 0) < most) backlogs.delete(channel)
  }

  function begin(due: DueDelivery): void {
    claimed += 1
    metrics.claimed.inc()
    attempt(due)
      .catch((error: unknown) => {
        if (stopping.signal.aborted) return
        const { id: delivery, attempt, correlation } = due
        log.error(
          { delivery, attempt, correlation, error },
          "a deferred delivery could not be attempted; it is claimed again when its lease ends",
        )
      })
      .finally(() => {
        claimed -= 1
        if (claimed === 0) onIdle()
        if (claimed === maxClaimed - 1) wake()
      })
  }

  async function drain(): Promise<void> {
    let lookAt = 0
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() >= lookAt) {
          lookAt = performance.now() + pollIntervalMs
          await look()
          // Not waited for: it may wait for Kafka, which claims do not need.
          onPoll().catch((error: unknown) =>
            log.debug({ error }, "what is done at intervals failed; it is done again"),
          )
        }
        await claimWanted()
      } catch (error) {
        // Readiness says that the database is unavailable. What was claimed without our knowledge is claimed again later.
        log.debug({ error }, "deferred deliveries could not be claimed")
        ready.clear()
      }
      if (ready.size === 0 || claimed >= maxClaimed) await nextWake(lookAt - performance.now())
    }
  }

  function nextWake(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(1, withinMs))
      let gathering: NodeJS.Timeout | undefined
      function done(): void {
        clearTimeout(timer)
        clearTimeout(gathering)
        wake = () => {}
        stopping.signal.removeEventListener("abort", done)
        resolve()
      }
      wake = () => {
        gathering ??= setTimeout(done, gatherMs)
      }
      stopping.signal.addEventListener("abort", done)
    })
  }

  const draining = drain()

  return {
    /** Why a delivery of the channel queues behind deferred ones; null: it does not. */
    queueReason: (channel: string): "busy" | "fault" | null =>
      !backlogs.has(channel) ? null : isResting(channel) ? "fault" : "busy",
    /** A delivery of the channel was deferred. */
    onDeferred(channel: string): void {
      backlogs.add(channel)
      reported?.add(channel)
      ready.add(channel)
      wake()
    },
    /** The channel may have capacity now. */
    onCapacity(channel: string): void {
      if (!backlogs.has(channel)) return
      ready.add(channel)
      wake()
    },
    /** This process cannot send what the channel's deliveries need. */
    rest(channel: string): void {
      restUntil.set(channel, performance.now() + faultRestMs)
      for (const [other, until] of restUntil) if (until <= performance.now()) restUntil.delete(other)
    },
    claimed: () => claimed,
    /** Claims nothing more; resolves when what was claimed is finished, or after `deadlineMs`. */
    async close(deadlineMs: number): Promise<void> {
      stopping.abort()
      await draining
      if (claimed === 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, deadlineMs)
        onIdle = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
  }
}
