import type { DeadLetter, DeliveryDue, TopicNames } from "@sitewire/contracts"
import type { Outgoing } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { Attempt, AttemptOutcome } from "./attempt.ts"
import type { ChannelGates } from "./channelGates.ts"
import type { DueDelivery } from "./delivery.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import type { PutOff } from "./recall.ts"
import type { AttemptRecord } from "./recordAttempts.ts"
import { type NextStep, nextStep, type RetrySchedule, readRetryAfter } from "./retrySchedule.ts"

export type DeliverParts = {
  attempt: Attempt
  gates: ChannelGates
  schedule: RetrySchedule
  topics: TopicNames
  /** Resolves once the broker has acknowledged. */
  publish: (records: Outgoing[]) => Promise<void>
  /** Resolves once the attempt is recorded. */
  record: (attempt: AttemptRecord) => Promise<void>
  /** Resolves once the delivery's row says that it is dead. */
  giveUp: (delivery: string) => Promise<void>
  /** Told of what was put off because its channel was busy. */
  remember: (putOff: PutOff) => void
  /** How long after its record was put there an attempt may still begin beside it. */
  keptMs: number
  metrics: DispatcherMetrics
  log: Logger
}

/**
 * How long a body's first 1 KiB is waited for, once the attempt is over and has given its place back. What was taken
 * needs no explaining, so it is hardly waited for: a partner that drips its bodies must not fill what we have in hand.
 */
const failedBodyMs = 250
const takenBodyMs = 20

/**
 * Carries a delivery one step further: attempts it, or puts it off where its channel cannot take it now. Resolves when
 * the outcome is durable, and not before; the caller then marks the record as done.
 *
 * The order is what makes a kill harmless. First what follows is appended (the next attempt, or the dead letter), then
 * the row is written, then the offset is committed. Killed after the append: the record comes again and repeats one
 * attempt, and the second copy of what follows is found behind the row and dropped.
 */
export function createDeliver(parts: DeliverParts): (due: DueDelivery) => Promise<void> {
  const { attempt, gates, schedule, topics, publish, record, giveUp, remember, keptMs, metrics, log } = parts

  async function deliver(due: DueDelivery): Promise<void> {
    if (due.channel.paused) {
      gates.hold(due.channel.id)
      return putOff(due, "paused")
    }
    const asked = gates.enter(due.channel.id)
    const entry = asked instanceof Promise ? await asked : asked
    if (entry.kind === "turned-away") return putOff(due, entry.why)
    if (due.keptUntil !== undefined && performance.now() > due.keptUntil) return entry.leave("nothing")
    const outcome = await attempt(due).catch((error: unknown) => {
      // A fault of ours (a sealing key that is not there, say) must cost this delivery no attempt and others nothing.
      log.error({ ...describe(due), error }, "an attempt could not be made")
      return "fault" as const
    })
    if (outcome === "fault" || outcome === null) entry.leave("nothing")
    else entry.leave(outcome.error === null ? "delivered" : "failed")
    if (outcome === "fault") return putOff(due, "fault")
    if (outcome === null) throw new Error("the process stops: the attempt is made again by another")
    await settle(due, outcome)
  }

  /** No attempt is used up; the shortest retry topic brings it back. */
  async function putOff(due: DueDelivery, why: "busy" | "breaker" | "fault" | "paused"): Promise<void> {
    if (due.keptUntil !== undefined) {
      // Its record is in the topic already.
      if (why === "busy")
        remember({ channel: due.channel.id, next: dueRecord(due, due), until: due.keptUntil })
      return
    }
    if (why === "paused") {
      // The retry period waits with the delivery: it begins anew each time, and so at the latest with the resume.
      const since = new Date().toISOString()
      await publish([toTopic(dueRecord({ ...due, since }, due), 0)])
      metrics.putOff.inc({ why })
      log.debug({ ...describe(due), why }, "delivery put off: an operator has paused its channel")
      return
    }
    // The retry period is the partner's, for taking the delivery: where it was never asked, as we had no room for it, the
    // period has not begun.
    const since = due.failures === 0 && why !== "breaker" ? new Date().toISOString() : due.since
    if (Date.now() > Date.parse(since) + schedule.periodMs) {
      await publish([deadLetter(due, due.attempt - 1, "not-attempted", null)])
      await giveUp(due.id)
      metrics.dead.inc()
      log.warn({ ...describe(due), why }, "delivery given up: no attempt could be made in the retry period")
      return
    }
    const next = dueRecord({ ...due, since }, due)
    const askedAt = performance.now()
    await publish([toTopic(next, 0)])
    metrics.putOff.inc({ why })
    log.info({ ...describe(due), why }, "delivery put off without an attempt")
    if (why === "busy") remember({ channel: due.channel.id, next, until: askedAt + keptMs })
  }

  async function settle(due: DueDelivery, outcome: AttemptOutcome): Promise<void> {
    const next = outcome.error === null ? null : afterFailure(due, outcome)
    const body = readExcerpt(outcome, next === null ? takenBodyMs : failedBodyMs)
    if (next?.kind === "retry") {
      const after = { attempt: due.attempt + 1, failures: due.failures + 1 }
      await publish([toTopic(dueRecord(due, after), next.rung)])
    } else if (next?.kind === "dead") {
      await publish([deadLetter(due, due.attempt, outcome.error ?? "", outcome.status)])
    }
    await record(toRecord(due, outcome, next, body instanceof Promise ? await body : body))
    metrics.attempts.inc({ outcome: outcome.error ?? "delivered" })
    metrics.attemptSeconds.observe(outcome.timing.totalMs / 1000)
    if (due.keptUntil !== undefined) metrics.recalled.inc()
    if (next?.kind === "dead") metrics.dead.inc()
    const state = next === null ? "delivered" : next.kind === "dead" ? "dead" : "pending"
    // What went well is in the database; a line for each would be most of what the service writes.
    const level = state === "delivered" ? "debug" : "info"
    if (!log.isLevelEnabled(level)) return
    const seen = { ...describe(due), state, error: outcome.error, status: outcome.status }
    log[level]({ ...seen, ms: Math.round(outcome.timing.totalMs) }, "attempt made")
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

  function toTopic(next: DeliveryDue, rung: number): Outgoing {
    const topic = topics.retry[rung]
    if (topic === undefined) throw new Error(`there is no retry topic ${rung}`)
    return { topic, key: next.delivery, value: JSON.stringify(next) }
  }

  function deadLetter(due: DueDelivery, attempts: number, error: string, status: number | null): Outgoing {
    const value: DeadLetter = {
      delivery: due.id,
      channel: due.channel.id,
      attempts,
      since: due.since,
      last_error: error,
      last_status: status,
      correlation: due.correlation,
    }
    return { topic: topics.dead, key: due.id, value: JSON.stringify(value) }
  }

  return deliver
}

/** Nearly always it is there with the head, and then not worth a promise. */
function readExcerpt({ excerpt }: AttemptOutcome, waitMs: number): Buffer | null | Promise<Buffer> {
  if (excerpt === null || excerpt.complete()) return excerpt?.received() ?? null
  return excerpt.within(waitMs)
}

function dueRecord(
  { id, since, correlation }: DueDelivery,
  { attempt, failures }: { attempt: number; failures: number },
): DeliveryDue {
  return { delivery: id, attempt, failures, since, correlation }
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
    nextAttemptAt: next?.kind === "retry" ? next.dueAt : null,
  }
}
