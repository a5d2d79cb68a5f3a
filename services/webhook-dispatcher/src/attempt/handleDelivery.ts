import type { DeliveryDue, TopicNames } from "@sitewire/contracts"
import type { Limiter } from "@sitewire/limiter"
import type { Logger } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { Deferral } from "../deferred/deferDeliveries.ts"
import type { ClaimedDelivery } from "../deferred/releaseClaims.ts"
import type { Claim, DeferralReason, DueDelivery } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { PublishDeadLetter } from "../outcome/publishDeadLetter.ts"
import type { AttemptRecord } from "../outcome/recordAttempts.ts"
import { type NextStep, nextStep, type RetrySchedule, readRetryAfter } from "../retry/nextAttempt.ts"
import type { AttemptOutcome, SendRequest } from "./sendRequest.ts"

export type HandleDeliveryParts = {
  send: SendRequest
  limiter: Pick<Limiter, "acquire" | "pause" | "isOpen">
  backlog: {
    /** Why a delivery of the channel queues behind deferred ones; null: it does not. */
    queueReason: (channel: string) => "busy" | "fault" | null
    onDeferred: (channel: string) => void
    rest: (channel: string) => void
  }
  schedule: RetrySchedule
  topics: Pick<TopicNames, "retry">
  publish: Publish
  publishDeadLetter: PublishDeadLetter
  /** Resolves once the attempt is recorded. */
  record: (attempt: AttemptRecord) => Promise<void>
  /** Resolves once the delivery's row carries it. */
  defer: (deferral: Deferral) => Promise<void>
  /** Resolves once others may claim the delivery. */
  release: (claimed: ClaimedDelivery) => Promise<void>
  metrics: DispatcherMetrics
  log: Logger
}

/**
 * How long a body's first 1 KiB is waited for, once the attempt is over and its permit released. A success needs no explanation, so its
 * body is hardly waited for: a partner that sends its bodies slowly must not fill what is outstanding.
 */
const failureExcerptMs = 250
const successExcerptMs = 20

/**
 * Carries a delivery one step further: attempts it, or defers it where that is not possible now. Resolves when the outcome is durable,
 * and not before; the caller then marks the record as done.
 *
 * The order is what makes a kill harmless. First what follows is appended (the next attempt, or the dead letter), then the row is
 * written, then the offset is committed. Killed after the append: the record, or the end of the lease, repeats one attempt, and the
 * second copy of what follows is found behind the row and dropped.
 */
export function createHandleDelivery(parts: HandleDeliveryParts): (due: DueDelivery) => Promise<void> {
  const { send, limiter, backlog, schedule, topics, publish, publishDeadLetter, record, metrics, log } = parts

  async function handleDelivery(due: DueDelivery): Promise<void> {
    const { channel, claim } = due
    if (channel.paused) {
      limiter.pause(channel.id)
      return defer(due, "paused")
    }
    const queueReason = claim === null ? backlog.queueReason(channel.id) : null
    if (queueReason !== null) return defer(due, limiter.isOpen(channel.id) ? "breaker" : queueReason)
    const acquiring = limiter.acquire(channel.id)
    const permit = acquiring instanceof Promise ? await acquiring : acquiring
    if (permit.kind === "rejected") return defer(due, permit.reason)
    if (claim !== null && performance.now() > claim.attemptBefore) {
      permit.release("unknown")
      return defer(due, "busy")
    }
    const outcome = await send(due).catch((error: unknown) => {
      // A fault of ours (a sealing key that is missing, say) must cost this delivery no attempt and others nothing.
      log.error({ ...describe(due), error }, "an attempt could not be made")
      return "fault" as const
    })
    if (outcome === "fault" || outcome === null) permit.release("unknown")
    else permit.release(outcome.error === null ? "success" : "failure")
    if (outcome === "fault") {
      backlog.rest(channel.id)
      return defer(due, "fault")
    }
    if (outcome === null) {
      if (claim !== null) await release(due, claim)
      throw new Error("the process stops: the attempt is made again by another")
    }
    await settle(due, outcome)
  }

  /** No attempt is used up. The row carries the delivery until its channel has capacity. */
  async function defer(due: DueDelivery, reason: DeferralReason): Promise<void> {
    const { id, channel, attempt, failures, claim } = due
    if (claim !== null) return release(due, claim)
    // The retry period is the time in which the partner could have accepted the delivery. Where the partner was never asked, as there was
    // no capacity, the period has not begun.
    const elapsedMs = failures === 0 && reason !== "breaker" ? null : Date.now() - Date.parse(due.since)
    await parts.defer({ id, reason, attempt, failures, elapsedMs })
    backlog.onDeferred(channel.id)
    metrics.deferred.inc({ reason })
    log.debug({ ...describe(due), reason }, "delivery deferred")
  }

  async function release({ id }: DueDelivery, { leaseExpiresAt }: Claim): Promise<void> {
    await parts.release({ id, leaseExpiresAt })
  }

  async function settle(due: DueDelivery, outcome: AttemptOutcome): Promise<void> {
    const next = outcome.error === null ? null : afterFailure(due, outcome)
    const body = readExcerpt(outcome, next === null ? successExcerptMs : failureExcerptMs)
    if (next?.kind === "retry") await scheduleRetry(due, next.step)
    else if (next?.kind === "dead") {
      const { id, attempt, since, correlation } = due
      const { status } = outcome
      const error = outcome.error ?? ""
      await publishDeadLetter({
        id,
        channel: due.channel.id,
        attempts: attempt,
        since,
        correlation,
        error,
        status,
      })
    }
    await record(toRecord(due, outcome, next, body instanceof Promise ? await body : body))
    metrics.attempts.inc({ outcome: outcome.error ?? "delivered" })
    metrics.attemptSeconds.observe(outcome.timing.totalMs / 1000)
    if (next?.kind === "dead") metrics.dead.inc()
    const state = next === null ? "delivered" : next.kind === "dead" ? "dead" : "pending"
    // What went well is in the database; a line for each would be most of what the service writes.
    const level = state === "delivered" ? "debug" : "info"
    if (!log.isLevelEnabled(level)) return
    const seen = { ...describe(due), state, error: outcome.error, status: outcome.status }
    log[level]({ ...seen, ms: Math.round(outcome.timing.totalMs) }, "attempt made")
  }

  /** Where the broker refuses the record for good, the row says when the attempt is due, and the sweep defers the delivery then. */
  async function scheduleRetry(due: DueDelivery, step: number): Promise<void> {
    const topic = topics.retry[step]
    if (topic === undefined) throw new Error(`there is no retry topic ${step}`)
    const { id, attempt, failures, since, correlation } = due
    const next: DeliveryDue = {
      delivery: id,
      attempt: attempt + 1,
      failures: failures + 1,
      since,
      correlation,
    }
    await publish({ topic, key: id, value: JSON.stringify(next) })
  }

  function afterFailure(due: DueDelivery, outcome: AttemptOutcome): NextStep {
    const now = new Date()
    const retryAfterMs = readRetryAfter(outcome.status ?? 0, outcome.retryAfter, now)
    return nextStep(schedule, {
      failures: due.failures + 1,
      since: new Date(due.since),
      now,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    })
  }

  return handleDelivery
}

/** Nearly always it is there with the head, and then not worth a promise. */
function readExcerpt({ excerpt }: AttemptOutcome, waitMs: number): Buffer | null | Promise<Buffer> {
  if (excerpt === null || excerpt.complete()) return excerpt?.received() ?? null
  return excerpt.within(waitMs)
}

function describe(due: DueDelivery) {
  const { id, eventId, channel, attempt, correlation } = due
  return { delivery: id, event: eventId, channel: channel.id, attempt, correlation }
}

function toRecord(
  due: DueDelivery,
  outcome: AttemptOutcome,
  next: NextStep | null,
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
    address: outcome.address,
    status: outcome.status,
    error: outcome.error,
    detail: outcome.detail,
    secretId: due.channel.secret.id,
    responseExcerpt: excerpt?.length ? excerpt : null,
    state: next === null ? "delivered" : next.kind === "dead" ? "dead" : "pending",
    scheduled:
      next?.kind === "retry"
        ? {
            delayMs: next.delayMs,
            failures: due.failures + 1,
            elapsedMs: Date.now() - Date.parse(due.since),
          }
        : null,
    deferredAt: due.claim?.deferredAt ?? null,
  }
}
