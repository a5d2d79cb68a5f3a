import type { ClaimedDelivery, DeferredChannel } from "@sitewire/deliveries"
import { type ClaimRequest, madeDueAtOnce, reserveMs } from "@sitewire/deliveries"
import type { Limiter } from "@sitewire/limiter"
import { type Logger, shareRunning } from "@sitewire/runtime"
import type { DispatcherMetrics } from "../metrics.ts"
import type { Backlogs } from "./backlogs.ts"
import type { StartClaimed } from "./startClaimed.ts"

const makeDueIntervalMs = 2_000
/** How long before the end of the reserved starts a channel with a maximum rate is claimed again. */
const aheadMs = reserveMs / 3
/** A poll that takes long, because of an older transaction, is repeated after ten times its duration, and at the latest after this time. */
const longestPollIntervalMs = 10_000

export type DrainParts = {
  makeDue: () => Promise<number>
  findDeferredChannels: () => Promise<DeferredChannel[]>
  claim: (requests: ClaimRequest[]) => Promise<ClaimedDelivery[]>
  backlogs: Backlogs
  limiter: Pick<Limiter, "capacity" | "kindOf" | "freeOfKind" | "pause">
  claimed: StartClaimed
  /** Claims do not wait for it. It is not called again before it has ended. */
  onPoll: (isPaused: (channel: string) => boolean) => Promise<void>
  pollIntervalMs: number
  stopping: AbortSignal
  metrics: Pick<DispatcherMetrics, "deferred">
  log: Logger
}

/** Claims and attempts deferred deliveries whenever their channels have capacity. Resolves after the stop. */
export async function drainDeferred(parts: DrainParts): Promise<void> {
  const { backlogs, limiter, claimed, pollIntervalMs, stopping, metrics, log } = parts
  const { toClaim } = backlogs
  /** Channels with a maximum rate for whose next claim a timer waits. */
  const awaited = new Set<string>()
  let paused = new Set<string>()
  const afterPoll = shareRunning(() => parts.onPoll((channel) => paused.has(channel)))
  let nextPollAt = 0
  let makeDueAt = 0

  while (!stopping.aborted) {
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
    if (toClaim.size > 0 && claimed.free() > 0) continue
    await backlogs.sleep(Math.max(1, nextPollAt - performance.now()))
  }

  async function poll(): Promise<void> {
    if (performance.now() >= makeDueAt) await makeDue()
    backlogs.beginRead()
    const found = await parts.findDeferredChannels()
    backlogs.replace(found)
    paused = new Set()
    for (const { channel, paused: isPaused } of found) {
      if (isPaused) {
        paused.add(channel)
        limiter.pause(channel)
      } else toClaim.add(channel)
    }
    afterPoll().catch((error: unknown) =>
      log.debug({ error }, "deliveries could not be expired; the next poll repeats it"),
    )
  }

  async function makeDue(): Promise<void> {
    const made = await parts.makeDue()
    if (made < madeDueAtOnce) makeDueAt = performance.now() + makeDueIntervalMs
    if (made === 0) return
    metrics.deferred.inc({ reason: "overdue" }, made)
    log.info({ deferred: made }, "deliveries were due and no record had woken them; they are deferred")
  }

  async function claimAndStart(): Promise<void> {
    const requests = claimRequests(backlogs, limiter, claimed.free())
    if (requests.length === 0) return
    backlogs.beginRead()
    const due = await parts.claim(requests)
    const counts = new Map<string, number>()
    const rated = new Map<string, ClaimedDelivery>()
    for (const each of due) {
      const { channel_id: channel, max_per_second: perSecond } = each.channel
      const { deferredAt } = each.claim
      // The deliveries are in the order of their deferral.
      if (!counts.has(channel) && deferredAt) backlogs.claimed(channel, deferredAt)
      counts.set(channel, (counts.get(channel) ?? 0) + 1)
      if (perSecond !== null) rated.set(channel, each)
      void claimed.start(each)
    }
    for (const last of rated.values()) claimAgain(last)
    // If a claim returned fewer deliveries of a channel than requested, the channel has no more to claim.
    for (const { channel, limit } of requests)
      if ((counts.get(channel) ?? 0) < limit) backlogs.drained(channel)
  }

  /** `last`: whose start is the last one that the channel's claim has reserved. */
  function claimAgain({
    channel: { channel_id: id, max_per_second: perSecond },
    claim,
  }: ClaimedDelivery): void {
    if (awaited.has(id)) return
    awaited.add(id)
    const reservedUntil = claim.startAt + 1_000 / (perSecond ?? 1)
    const wait = setTimeout(
      () => {
        awaited.delete(id)
        backlogs.claimSoon(id)
      },
      Math.max(reserveMs - aheadMs, reservedUntil - aheadMs - performance.now()),
    )
    wait.unref()
  }
}

/** What the next claim asks for: of each channel no more than it has permits for, of all together no more than `most`. */
function claimRequests(
  { toClaim, turns, isClaimable, scanFrom }: Pick<Backlogs, "toClaim" | "turns" | "isClaimable" | "scanFrom">,
  limiter: Pick<Limiter, "capacity" | "kindOf" | "freeOfKind">,
  most: number,
): ClaimRequest[] {
  const requests: ClaimRequest[] = []
  let remaining = most
  const ofKind = {
    quick: remaining,
    slow: limiter.freeOfKind("slow"),
    unknown: limiter.freeOfKind("unknown"),
  }

  /** False for a channel whose kind has changed since it began to wait, because it needs no permit of that kind. */
  function isWaiting(channel: string): boolean {
    const kind = limiter.kindOf(channel)
    return kind !== "quick" && turns[kind].has(channel)
  }

  function request(channel: string): void {
    toClaim.delete(channel)
    turns.slow.delete(channel)
    turns.unknown.delete(channel)
    if (!isClaimable(channel)) return
    const kind = limiter.kindOf(channel)
    if (ofKind[kind] <= 0) {
      if (kind !== "quick") turns[kind].add(channel)
      return
    }
    const limit = Math.min(remaining, ofKind[kind], limiter.capacity(channel))
    if (limit <= 0) return
    requests.push({ channel, limit, from: scanFrom(channel) })
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
