import type { Limiter } from "@sitewire/limiter"
import { type Logger, type Traceparent, type Tracing, traceFields } from "@sitewire/runtime"
import type { Deferral } from "../deferred/deferDeliveries.ts"
import type { ClaimedDelivery } from "../deferred/releaseClaims.ts"
import type { Channel, DeferralReason, DueDelivery } from "../delivery.ts"
import type { FirstOutcome } from "../intake/storeDeliveries.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { AttemptRecord } from "../outcome/recordAttempts.ts"
import { type NextStep, nextStep, type RetrySchedule } from "../retry/nextAttempt.ts"
import { readRetryAfter } from "../retry/readRetryAfter.ts"
import type { ScheduleRetry } from "../retry/scheduleRetry.ts"
import { steadyClock } from "../steadyClock.ts"
import { endAttemptSpan, startAttemptSpan } from "./attemptSpan.ts"
import { breakerOutcome } from "./breakerOutcome.ts"
import type { AttemptOutcome, SendRequest } from "./sendRequest.ts"
import type { Network } from "./watchNetwork.ts"

export type HandleDeliveryParts = {
  send: SendRequest
  network: Network
  limiter: Pick<Limiter, "acquire" | "pause" | "isOpen">
  backlog: {
    /** Why a new delivery of the channel must wait behind deferred ones. */
    queueReason: (channel: string) => "busy" | "fault" | null
    onDeferred: (channel: string, reason: DeferralReason) => void
    /** Called after a fault: leaves the channel to other processes for a while. */
    backOff: (channel: string) => void
  }
  schedule: RetrySchedule
  scheduleRetry: ScheduleRetry
  storeDelivery: (outcome: FirstOutcome) => Promise<void>
  recordAttempt: (attempt: AttemptRecord) => Promise<void>
  deferDelivery: (deferral: Deferral) => Promise<void>
  releaseClaim: (claimed: ClaimedDelivery) => Promise<void>
  metrics: DispatcherMetrics
  tracing: Tracing
  log: Logger
}

/**
 * How long to wait for the start of the response's body, which is stored with the attempt. The wait is short,
 * because a delivery that waits counts towards MAX_OUTSTANDING_RECORDS.
 */
const failureExcerptMs = 250
const successExcerptMs = 20

/**
 * Attempts a delivery, or defers it if an attempt is not possible now. Resolves when the outcome is durable.
 *
 * A kill loses nothing because of the order: the retry is published first, then the row is inserted (first attempt) or
 * updated, then the record's offset is committed. After a kill in between, the attempt is repeated. A dead letter follows
 * from the row (`startPublishingEnds`).
 */
export function createHandleDelivery(parts: HandleDeliveryParts): (due: DueDelivery) => Promise<void> {
  const { send, network, limiter, backlog, schedule, metrics, tracing, log } = parts

  async function handleDelivery(due: DueDelivery): Promise<void> {
    const { channel, claim } = due
    if (channel.paused) {
      limiter.pause(channel.id)
      return defer(due, "paused")
    }
    const queueReason = claim === null ? reasonToQueue(channel) : null
    if (queueReason !== null) return defer(due, limiter.isOpen(channel.id) ? "breaker" : queueReason)
    const acquiring = limiter.acquire(channel.id)
    const permit = acquiring instanceof Promise ? await acquiring : acquiring
    if (permit.kind === "rejected") return defer(due, permit.reason)
    if (claim !== null && performance.now() > claim.attemptBefore) {
      permit.release("unknown")
      return defer(due, "busy")
    }
    const span = startAttemptSpan(tracing, due)
    const traceparent = span?.traceparent ?? null
    const outcome = await attempt(due, traceparent)
    permit.release(breakerOutcome(outcome))
    endAttemptSpan(span, outcome)
    if (outcome === "fault") {
      backlog.backOff(channel.id)
      return defer(due, "fault")
    }
    if (outcome === null) {
      if (claim !== null) await releaseClaim(due)
      throw new Error("the process is stopping; another process repeats the attempt")
    }
    await finishAttempt(due, outcome, traceparent)
  }

  /** "fault": the attempt failed because of us, and not because of the partner. Null: the process's stop aborted it. */
  async function attempt(due: DueDelivery, traceparent: Traceparent | null) {
    try {
      const outcome = await send(due, traceparent)
      return outcome !== null && network.isOurFault(due.channel.id, outcome) ? "fault" : outcome
    } catch (error) {
      const seen = describe(due, traceparent)
      log.error({ ...seen, error }, "an attempt could not be made; the delivery is deferred")
      return "fault"
    }
  }

  /** All dispatchers share a channel's maximum rate by claiming its deliveries, so each is deferred first. */
  function reasonToQueue({ id, maxPerSecond }: Channel): "busy" | "fault" | "rate" | null {
    const reason = backlog.queueReason(id)
    return maxPerSecond !== null && reason !== "fault" ? "rate" : reason
  }

  async function defer(due: DueDelivery, reason: DeferralReason): Promise<void> {
    const { id, channel, attempt, failures, claim, unstored } = due
    if (claim !== null) {
      await releaseClaim(due)
      // The claim may have taken the channel's last deliveries, and nothing else would claim this one before the next poll.
      return backlog.onDeferred(channel.id, reason)
    }
    // The retry period starts with the first failed attempt, or when the partner's open circuit breaker
    // prevents the first attempt. A delivery that was deferred for another reason before any attempt (no
    // capacity, a pause) has used none of its period: null.
    const elapsedMs =
      failures === 0 && reason !== "breaker" ? null : steadyClock.now() - Date.parse(due.since)
    const deferral = { id, reason, attempt, failures, elapsedMs }
    if (unstored) await parts.storeDelivery({ delivery: unstored, attempt: null, deferral })
    else await parts.deferDelivery(deferral)
    backlog.onDeferred(channel.id, reason)
    metrics.deferred.inc({ reason })
    log.debug({ ...describe(due), reason }, "delivery deferred")
  }

  async function releaseClaim({ id, claim }: DueDelivery): Promise<void> {
    if (claim !== null) await parts.releaseClaim({ id, leaseExpiresAt: claim.leaseExpiresAt })
  }

  async function finishAttempt(
    due: DueDelivery,
    outcome: AttemptOutcome,
    traceparent: Traceparent | null,
  ): Promise<void> {
    const next = outcome.error === null ? null : afterFailure(due, outcome)
    // Measured before the retry is published, because an outage of Kafka does not count towards the retry period.
    const elapsedMs = steadyClock.now() - Date.parse(due.since)
    const excerpt = readExcerpt(outcome, next === null ? successExcerptMs : failureExcerptMs)
    if (next?.kind === "retry") await parts.scheduleRetry(due, next.step, traceparent)
    const received = excerpt instanceof Promise ? await excerpt : excerpt
    const made = toRecord(due, outcome, { next, elapsedMs, traceparent }, received)
    const { unstored } = due
    if (unstored) await parts.storeDelivery({ delivery: unstored, attempt: made, deferral: null })
    else await parts.recordAttempt(made)
    metrics.attempts.inc({ outcome: outcome.error ?? "delivered" })
    const { startedAt, totalMs } = outcome.timing
    metrics.attemptSeconds.observe(totalMs / 1000)
    // A clock that is behind the broker's must not lower the sum.
    if (unstored)
      metrics.paidToAttempted.observe(
        Math.max(0, startedAt.getTime() + totalMs - unstored.appendedAt) / 1_000,
      )
    logAttempt(due, outcome, next, traceparent)
  }

  function logAttempt(
    due: DueDelivery,
    { error, status, timing }: AttemptOutcome,
    next: NextStep | null,
    traceparent: Traceparent | null,
  ) {
    const state = stateAfter(next)
    // Successes are logged at `debug` only, because they would be most of the log.
    const level = state === "delivered" ? "debug" : "info"
    if (!log.isLevelEnabled(level)) return
    log[level](
      { ...describe(due, traceparent), state, error, status, ms: Math.round(timing.totalMs) },
      "attempt made",
    )
  }

  function afterFailure(due: DueDelivery, outcome: AttemptOutcome): NextStep {
    const retryAfterMs = readRetryAfter(outcome.status ?? 0, outcome.retryAfter, new Date())
    return nextStep(schedule, {
      failures: due.failures + 1,
      since: new Date(due.since),
      now: new Date(steadyClock.now()),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }

  return handleDelivery
}

function readExcerpt({ excerpt }: AttemptOutcome, waitMs: number): Buffer | null | Promise<Buffer> {
  if (excerpt === null || excerpt.complete()) return excerpt?.received() ?? null
  return excerpt.within(waitMs)
}

function stateAfter(next: NextStep | null): AttemptRecord["state"] {
  if (next === null) return "delivered"
  return next.kind === "dead" ? "dead" : "pending"
}

function describe(due: DueDelivery, span: Traceparent | null = due.traceparent) {
  const { id, eventId, channel, attempt, correlation } = due
  return { delivery: id, event: eventId, channel: channel.id, attempt, correlation, ...traceFields(span) }
}

function toRecord(
  due: DueDelivery,
  outcome: AttemptOutcome,
  { next, ...made }: { next: NextStep | null; elapsedMs: number; traceparent: Traceparent | null },
  excerpt: Buffer | null,
): AttemptRecord {
  const { timing } = outcome
  return {
    deliveryId: due.id,
    number: due.attempt,
    startedAt: timing.startedAt,
    durationMs: timing.totalMs,
    lookupMs: timing.lookupMs ?? null,
    connectMs: timing.connectMs ?? null,
    tlsMs: timing.tlsMs ?? null,
    firstByteMs: timing.firstByteMs ?? null,
    ip: outcome.address,
    url: outcome.url,
    requestHeaders: outcome.requestHeaders,
    status: outcome.status,
    error: outcome.error,
    detail: outcome.detail,
    secretId: due.channel.secret.id,
    responseExcerpt: excerpt?.length ? excerpt : null,
    state: stateAfter(next),
    scheduled: next?.kind === "retry" ? { delayMs: next.delayMs, failures: due.failures + 1 } : null,
    ...made,
    deferredAt: due.claim?.deferredAt ?? null,
    leaseExpiresAt: due.claim?.leaseExpiresAt ?? null,
  }
}
