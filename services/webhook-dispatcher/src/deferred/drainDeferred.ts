import type { Limiter } from "@sitewire/limiter"
import type { Logger } from "@sitewire/runtime"
import type { DeferralReason, DueDelivery } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { ClaimRequest } from "./claimDeferred.ts"
import type { OpenForMs } from "./expireDeferred.ts"
import type { DeferredChannel } from "./findDeferredChannels.ts"
import { measureOpenTime } from "./measureOpenTime.ts"

/** The next claim waits this long after a permit is released, so that it can use several permits at once. */
const claimDelayMs = 2
/**
 * A fault means that this process cannot send a delivery, for example because it lacks a sealing key. It then
 * leaves the channel to other processes for this long.
 */
const backOffMs = 30_000
/**
 * A channel with a maximum rate is claimed at most this often because of new deferrals, so that a burst of events
 * causes few claims that get nothing.
 */
const rateClaimIntervalMs = 100
/** A little less than a second, so that a process that was late catches up. */
const lateStartInterval = 900

export type DrainParts = {
  findDeferredChannels: () => Promise<DeferredChannel[]>
  claim: (requests: ClaimRequest[]) => Promise<DueDelivery[]>
  limiter: Pick<Limiter, "capacity" | "pause" | "status" | "openBreakers">
  /** Resolves when the outcome is durable or the claim is released. */
  attempt: (due: DueDelivery) => Promise<void>
  release: (due: DueDelivery) => Promise<void>
  onPoll: (openForMs: OpenForMs) => Promise<void>
  pollIntervalMs: number
  maxClaimed: number
  metrics: Pick<DispatcherMetrics, "claimed">
  log: Logger
}

/** Claims and attempts deferred deliveries whenever the limiter reports capacity for their channels. */
export function drainDeferred(parts: DrainParts) {
  const {
    findDeferredChannels,
    claim,
    limiter,
    attempt,
    release,
    onPoll,
    pollIntervalMs,
    maxClaimed,
    metrics,
    log,
  } = parts
  let backlogs = new Set<string>()
  /** Channels with deferrals during a running poll, whose result may not include them. */
  let deferredDuringPoll: Set<string> | null = null
  const channelsWithCapacity = new Set<string>()
  const backOffUntil = new Map<string, number>()
  const rateClaimAt = new Map<string, number>()
  const nextStartAt = new Map<string, number>()
  const openTime = measureOpenTime({ openBreakers: limiter.openBreakers, pollIntervalMs })
  const stopping = new AbortController()
  let claimed = 0
  let wake = () => {}
  let onIdle = () => {}

  async function poll(): Promise<void> {
    deferredDuringPoll = new Set()
    const found = await findDeferredChannels().finally(() => {
      for (const channel of deferredDuringPoll ?? []) backlogs.add(channel)
    })
    backlogs = new Set(deferredDuringPoll)
    deferredDuringPoll = null
    for (const { channel, paused } of found) {
      backlogs.add(channel)
      if (paused) limiter.pause(channel)
      else channelsWithCapacity.add(channel)
    }
  }

  const isBackingOff = (channel: string) => (backOffUntil.get(channel) ?? 0) > performance.now()

  function claimRequests(): ClaimRequest[] {
    const requests: ClaimRequest[] = []
    let remaining = maxClaimed - claimed
    for (const channel of channelsWithCapacity) {
      if (remaining <= 0) break
      channelsWithCapacity.delete(channel)
      const limit =
        isBackingOff(channel) || !backlogs.has(channel) ? 0 : Math.min(remaining, limiter.capacity(channel))
      if (limit <= 0) continue
      const openForMs = openTime.openForMs(channel, limiter.status(channel).openedAt)
      requests.push({ channel, limit, openForMs })
      remaining -= limit
    }
    return requests
  }

  async function claimAndAttempt(): Promise<void> {
    const requests = claimRequests()
    if (requests.length === 0) return
    const due = await claim(requests)
    const counts = new Map<string, number>()
    for (const each of due) {
      counts.set(each.channel.id, (counts.get(each.channel.id) ?? 0) + 1)
      startAttempt(each)
    }
    // If a claim returned fewer deliveries of a channel than requested, the channel has no more to claim.
    for (const { channel, limit } of requests)
      if ((counts.get(channel) ?? 0) < limit) backlogs.delete(channel)
  }

  function startAttempt(due: DueDelivery): void {
    claimed += 1
    metrics.claimed.inc()
    const waiting = untilStart(due)
    const attempted = waiting === null ? attempt(due) : waiting.then(() => attemptUnlessStopping(due))
    attempted
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

  /** Null: the attempt may start now. */
  function untilStart({ channel, claim }: DueDelivery): Promise<void> | null {
    if (channel.maxPerSecond === null || claim === null) return null
    return waitUntil(claim.startAt).then(() => waitUntil(paceStart(channel.id, channel.maxPerSecond ?? 1)))
  }

  /**
   * If this process was late, attempts whose starts have passed follow each other at nearly the channel's rate, and
   * not all at once.
   */
  function paceStart(channel: string, perSecond: number): number {
    const now = performance.now()
    const startAt = Math.max(now, nextStartAt.get(channel) ?? 0)
    for (const [other, at] of nextStartAt) if (at <= now) nextStartAt.delete(other)
    nextStartAt.set(channel, startAt + lateStartInterval / perSecond)
    return startAt
  }

  /** Resolves earlier at a stop. */
  function waitUntil(at: number): Promise<void> {
    return new Promise((resolve) => {
      const waitMs = at - performance.now()
      if (waitMs <= 0 || stopping.signal.aborted) return resolve()
      const timer = setTimeout(done, waitMs)
      function done(): void {
        clearTimeout(timer)
        stopping.signal.removeEventListener("abort", done)
        resolve()
      }
      stopping.signal.addEventListener("abort", done)
    })
  }

  const attemptUnlessStopping = (due: DueDelivery) => (stopping.signal.aborted ? release(due) : attempt(due))

  /** True if the channel was claimed just now, and the next poll suffices. */
  function wasClaimedForRate(channel: string): boolean {
    const now = performance.now()
    if ((rateClaimAt.get(channel) ?? 0) > now) return true
    for (const [other, at] of rateClaimAt) if (at <= now) rateClaimAt.delete(other)
    rateClaimAt.set(channel, now + rateClaimIntervalMs)
    return false
  }

  async function drain(): Promise<void> {
    let nextPollAt = 0
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() >= nextPollAt) {
          nextPollAt = performance.now() + pollIntervalMs
          openTime.observe()
          await poll()
          // Not awaited: `onPoll` may wait for Kafka, and claiming deliveries does not need Kafka.
          onPoll(openTime.openForMs).catch((error: unknown) =>
            log.debug({ error }, "deliveries could not be expired; the next poll repeats it"),
          )
        }
        await claimAndAttempt()
      } catch (error) {
        // Logged at `debug` only, because readiness reports an outage of Postgres.
        log.debug({ error }, "deferred deliveries could not be claimed; the next poll repeats it")
        channelsWithCapacity.clear()
      }
      if (channelsWithCapacity.size === 0 || claimed >= maxClaimed)
        await nextWake(nextPollAt - performance.now())
    }
  }

  function nextWake(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(done, Math.max(1, withinMs))
      let delay: NodeJS.Timeout | undefined
      function done(): void {
        clearTimeout(timer)
        clearTimeout(delay)
        wake = () => {}
        stopping.signal.removeEventListener("abort", done)
        resolve()
      }
      wake = () => {
        delay ??= setTimeout(done, claimDelayMs)
      }
      stopping.signal.addEventListener("abort", done)
    })
  }

  const draining = drain()

  return {
    queueReason: (channel: string): "busy" | "fault" | null =>
      !backlogs.has(channel) ? null : isBackingOff(channel) ? "fault" : "busy",
    onDeferred(channel: string, reason: DeferralReason): void {
      backlogs.add(channel)
      deferredDuringPoll?.add(channel)
      if (reason === "rate" && wasClaimedForRate(channel)) return
      channelsWithCapacity.add(channel)
      wake()
    },
    onCapacity(channel: string): void {
      if (!backlogs.has(channel)) return
      channelsWithCapacity.add(channel)
      wake()
    },
    backOff(channel: string): void {
      backOffUntil.set(channel, performance.now() + backOffMs)
      for (const [other, until] of backOffUntil) if (until <= performance.now()) backOffUntil.delete(other)
    },
    claimed: () => claimed,
    /** Channels that have deferred deliveries, as of the last poll. */
    channels: (): ReadonlySet<string> => backlogs,
    /** Stops claiming. Resolves when the claimed deliveries are finished, or after `deadlineMs`. */
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
