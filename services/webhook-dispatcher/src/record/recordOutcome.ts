import type { DeferralReason, RetryRecord } from "@sitewire/contracts"
import { type AttemptRecord, type Decision, type DueDelivery, steadyClock } from "@sitewire/deliveries"
import { type Logger, type Traceparent, traceFields, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { AttemptOutcome } from "../send/sendRequest.ts"
import type { Writes } from "./createWrites.ts"

export type RecordParts = Writes & {
  scheduleRetry: ScheduleRetry
  metrics: DispatcherMetrics
  log: Logger
}

/**
 * How long to wait for the start of the response's body, which is stored with the attempt. The wait is short,
 * because a delivery that waits counts towards MAX_OUTSTANDING_RECORDS.
 */
const failureExcerptMs = 250
const successExcerptMs = 20

/** Each function resolves when the outcome is durable. */
export function createRecordOutcome(parts: RecordParts) {
  const { storeDelivery, recordAttempt, releaseClaim, scheduleRetry, metrics, log } = parts

  async function defer(due: DueDelivery, reason: DeferralReason): Promise<void> {
    if (due.claim) await releaseClaim({ id: due.id, leaseExpiresAt: due.claim.leaseExpiresAt, reason })
    else {
      // The retry period starts with the first failed attempt, or when the partner's open circuit breaker prevents the first
      // attempt. A delivery that was deferred for another reason before any attempt has used none of it.
      const elapsedMs = reason === "breaker" ? steadyClock.now() - due.since : null
      await storeDelivery({ delivery: due.unstored, attempt: null, deferral: { reason, elapsedMs } })
    }
    // A deferred one was counted when it was deferred.
    if (due.claim?.deferredAt) return
    metrics.deferred.inc({ reason })
    log.debug({ ...describe(due), reason }, "delivery deferred")
  }

  async function attempted(due: DueDelivery, attempt: Made): Promise<void> {
    const { outcome, decision } = attempt
    const excerpt = readExcerpt(outcome, outcome.error === null ? successExcerptMs : failureExcerptMs)
    const made = toRecord(due, attempt, excerpt instanceof Promise ? await excerpt : excerpt)
    if (due.claim) await recordAttempt(made)
    else await storeDelivery({ delivery: due.unstored, attempt: made, deferral: null })
    // After the row, which alone decides what is attempted: what no record wakes is found by the poll.
    if (decision.retry) scheduleRetry(due, decision.retry.step, attempt.traceparent)
    report(due, attempt)
  }

  function report(due: DueDelivery, { outcome, decision, traceparent }: Made): void {
    const { error, status, timing } = outcome
    const { startedAt, totalMs } = timing
    metrics.attempts.inc({ outcome: error ?? "delivered" })
    metrics.attemptSeconds.observe(totalMs / 1000)
    // A clock that is behind the broker's must not lower the sum.
    if (due.unstored)
      metrics.paidToAttempted.observe(
        Math.max(0, startedAt.getTime() + totalMs - due.unstored.appendedAt) / 1_000,
      )
    const { state } = decision
    // Successes are logged at `debug` only, because they would be most of the log.
    const level = state === "delivered" ? "debug" : "info"
    if (!log.isLevelEnabled(level)) return
    log[level](
      { ...describe(due, traceparent), state, error, status, ms: Math.round(totalMs) },
      "attempt made",
    )
  }

  return { defer, attempted }
}

function describe(due: DueDelivery, span: Traceparent | null = due.traceparent) {
  const { id, eventId, channel, attempt, correlation } = due
  return { delivery: id, event: eventId, channel: channel.id, attempt, correlation, ...traceFields(span) }
}

/** `elapsedMs`: how much of the retry period is over. */
type Made = {
  outcome: AttemptOutcome
  decision: Decision
  elapsedMs: number
  traceparent: Traceparent | null
}

function readExcerpt({ excerpt }: AttemptOutcome, waitMs: number): Buffer | null | Promise<Buffer> {
  if (excerpt === null || excerpt.complete()) return excerpt?.received() ?? null
  return excerpt.within(waitMs)
}

function toRecord(
  due: DueDelivery,
  { outcome, decision, elapsedMs, traceparent }: Made,
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
    state: decision.state,
    scheduled: decision.retry,
    elapsedMs,
    traceparent,
    claim: due.claim,
  }
}

/** `attempt`: the context of the failed attempt, to which the retry links. */
export type ScheduleRetry = (failed: DueDelivery, step: number, attempt: Traceparent | null) => void

/** While Kafka is unavailable, the poll finds what is due, so the records of more attempts than these seconds' need no memory. */
const giveUpAfterMs = 5_000

/**
 * Publishes a record to the retry topic of the step, which wakes the delivery when its next attempt is due. Nobody waits for it: a
 * delivery that no record wakes is found by the poll.
 */
export function createScheduleRetry(publish: Publish, retryTopics: readonly string[]): ScheduleRetry {
  return ({ id, attempt }, step, failed) => {
    const topic = retryTopics[step]
    if (topic === undefined) throw new Error(`there is no retry topic for step ${step}`)
    const next: RetryRecord = { delivery: id, attempt: attempt + 1 }
    const record = { topic, key: id, value: JSON.stringify(next), ...traceHeaders(failed) }
    publish(record, { giveUpAfterMs }).catch(() => {})
  }
}
