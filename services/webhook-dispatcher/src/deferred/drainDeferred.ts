import type { Limiter } from "@sitewire/limiter"
import { type Logger, shareRunning, sleepUnlessAborted } from "@sitewire/runtime"
import type { DeferralReason, DueDelivery } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import { createBacklogs } from "./backlogs.ts"
import { type ClaimRequest, reserveMs } from "./claimDeferred.ts"
import type { DeferredChannel } from "./findDeferredChannels.ts"
import { createFutureTimes } from "./futureTimes.ts"
import { createStartClaimed } from "./startClaimed.ts"

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
/** A channel with a maximum rate is claimed again so long before the starts that a claim has reserved are over, however long polls take. */
const aheadMs = reserveMs / 3
/**
 * A poll that takes long, because Postgres keeps entries of deliveries that are gone for an older transaction, is repeated
 * when ten times its duration has passed, and after this time at the latest.
 */
const longestPollIntervalMs = 10_000

export type DrainParts = {
  findDeferredChannels: () => Promise<DeferredChannel[]>
  claim: (requests: ClaimRequest[]) => Promise<DueDelivery[]>
  limiter: Pick<Limiter, "capacity" | "kindOf" | "freeOfKind" | "pause">
  /** Resolves when the outcome is durable or the claim is released. */
  attempt: (due: DueDelivery) => Promise<void>
  release: (due: DueDelivery) => Promise<void>
  /** Claims do not wait for it. It is not called again before it has ended. `isPaused`: of the channels that have deferred deliveries. */
  onPoll: (isPaused: (channel: string) => boolean) => Promise<void>
  pollIntervalMs: number
  maxClaimed: number
  metrics: Pick<DispatcherMetrics, "claimed">
  log: Logger
}

/** Claims and attempts deferred deliveries whenever the limiter reports capacity for their channels. */
export function drainDeferred(parts: DrainParts) {
  const { limiter, pollIntervalMs, maxClaimed, log } = parts
  const backlogs = createBacklogs(parts.findDeferredChannels)
  const backOffs = createFutureTimes()
  const rateClaims = createFutureTimes()
  /** Channels with a maximum rate for whose next claim a timer waits. */
  const awaited = new Set<string>()
  const stopping = new AbortController()
  let paused = new Set<string>()
  const afterPoll = shareRunning(() => parts.onPoll((channel) => paused.has(channel)))
  const claimed = createStartClaimed({
    ...parts,
    stopping: stopping.signal,
    onFinished: () => {
      if (claimed.unfinished() === maxClaimed - 1) wake()
    },
  })
  /** Channels that the next claim asks for. */
  const toClaim = new Set<string>()
  /** Channels that wait for their turn, because all channels of their kind together have no more permits. */
  const turns = { slow: new Set<string>(), unknown: new Set<string>() }
  /** False for a channel whose kind has changed since it began to wait, because it needs no permit of that kind. */
  function isWaiting(channel: string): boolean {
    const kind = limiter.kindOf(channel)
    return kind !== "quick" && turns[kind].has(channel)
  }
  let woken = new AbortController()
  let waking: NodeJS.Timeout | undefined

  async function run(): Promise<void> {
    let nextPollAt = 0
    while (!stopping.signal.aborted) {
      try {
        if (performance.now() >= nextPollAt) {
          const beganAt = performance.now()
          nextPollAt = beganAt + pollIntervalMs
          await poll()
          const tenTimes = 10 * (performance.now() - beganAt)
          nextPollAt = beganAt + Math.max(pollIntervalMs, Math.min(longestPollIntervalMs, tenTimes))
        }
        await claimAndStart()
      } catch (error) {
        // Logged at `debug` only, because readiness reports an outage of Postgres.
        log.debug({ error }, "deferred deliveries could not be claimed; the next poll repeats it")
        toClaim.clear()
      }
      if (toClaim.size > 0 && claimed.unfinished() < maxClaimed) continue
      await sleepUnlessAborted(Math.max(1, nextPollAt - performance.now()), stopping.signal, woken.signal)
      clearTimeout(waking)
      waking = undefined
      woken = new AbortController()
    }
  }

  function wake(): void {
    waking ??= setTimeout(() => woken.abort(), claimDelayMs)
  }

  async function poll(): Promise<void> {
    paused = new Set()
    for (const found of await backlogs.poll()) {
      if (found.paused) {
        paused.add(found.channel)
        limiter.pause(found.channel)
      } else toClaim.add(found.channel)
    }
    afterPoll().catch((error: unknown) =>
      log.debug({ error }, "deliveries could not be expired; the next poll repeats it"),
    )
  }

  async function claimAndStart(): Promise<void> {
    const requests = claimRequests()
    if (requests.length === 0) return
    backlogs.beginClaim()
    const due = await parts.claim(requests)
    const counts = new Map<string, number>()
    const rated = new Map<string, DueDelivery>()
    for (const each of due) {
      const { channel, claim } = each
      // The deliveries are in the order of their deferral.
      if (!counts.has(channel.id) && claim) backlogs.claimed(channel.id, claim.deferredAt)
      counts.set(channel.id, (counts.get(channel.id) ?? 0) + 1)
      if (channel.maxPerSecond !== null) rated.set(channel.id, each)
      claimed.start(each)
    }
    for (const last of rated.values()) claimAgain(last)
    // If a claim returned fewer deliveries of a channel than requested, the channel has no more to claim.
    for (const { channel, limit } of requests)
      if ((counts.get(channel) ?? 0) < limit) backlogs.drained(channel)
  }

  /** `last`: whose start is the last one that the channel's claim has reserved. */
  function claimAgain({ channel: { id, maxPerSecond }, claim }: DueDelivery): void {
    if (awaited.has(id)) return
    awaited.add(id)
    const reservedUntil = (claim?.startAt ?? 0) + 1_000 / (maxPerSecond ?? 1)
    const wait = setTimeout(
      () => {
        awaited.delete(id)
        claimSoon(id)
      },
      Math.max(reserveMs - aheadMs, reservedUntil - aheadMs - performance.now()),
    )
    wait.unref()
  }

  function claimSoon(channel: string): void {
    backlogs.add(channel)
    toClaim.add(channel)
    wake()
  }

  function claimRequests(): ClaimRequest[] {
    const requests: ClaimRequest[] = []
    let remaining = maxClaimed - claimed.unfinished()
    const ofKind = {
      quick: remaining,
      slow: limiter.freeOfKind("slow"),
      unknown: limiter.freeOfKind("unknown"),
    }
    function request(channel: string): void {
      toClaim.delete(channel)
      turns.slow.delete(channel)
      turns.unknown.delete(channel)
      if (backOffs.isSet(channel) || !backlogs.has(channel)) return
      const kind = limiter.kindOf(channel)
      if (ofKind[kind] <= 0) {
        if (kind !== "quick") turns[kind].add(channel)
        return
      }
      const limit = Math.min(remaining, ofKind[kind], limiter.capacity(channel))
      if (limit <= 0) return
      requests.push({ channel, limit, from: backlogs.scanFrom(channel) })
      remaining -= limit
      ofKind[kind] -= limit
    }
    for (const kind of ["slow", "unknown"] as const)
      for (const channel of [...turns[kind]].slice(0, Math.min(remaining, ofKind[kind]))) request(channel)
    for (const channel of toClaim) {
      if (remaining <= 0) break
      if (isWaiting(channel)) toClaim.delete(channel)
      else request(channel)
    }
    return requests
  }

  const running = run()

  return {
    queueReason(channel: string): "busy" | "fault" | null {
      if (!backlogs.has(channel)) return null
      return backOffs.isSet(channel) ? "fault" : "busy"
    },
    onDeferred(channel: string, reason: DeferralReason): void {
      backlogs.add(channel)
      if (reason === "rate") {
        // The channel was claimed just now, and the next poll suffices.
        if (rateClaims.isSet(channel)) return
        rateClaims.set(channel, performance.now() + rateClaimIntervalMs)
      }
      claimSoon(channel)
    },
    onCapacity(channel: string): void {
      if (backlogs.has(channel)) toClaim.add(channel)
      else if (turns.slow.size + turns.unknown.size === 0) return
      wake()
    },
    backOff: (channel: string): void => backOffs.set(channel, performance.now() + backOffMs),
    claimed: claimed.unfinished,
    scanFrom: backlogs.scanFrom,
    /** Channels that have deferred deliveries, as of the last poll. */
    channels: backlogs.all,
    /** Stops claiming. Resolves when the claimed deliveries are finished, or after `deadlineMs`. */
    async close(deadlineMs: number): Promise<void> {
      stopping.abort()
      await running
      await claimed.idle(deadlineMs)
    },
  }
}
