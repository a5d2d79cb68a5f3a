import type { DeferralReason, RetryRecord, TopicNames } from "@sitewire/contracts"
import { batchWrites, type Sql, type Writing } from "@sitewire/database"
import type * as deliveries from "@sitewire/deliveries"
import type { AttemptRecord, Decision, DueDelivery, FirstOutcome, Release } from "@sitewire/deliveries"
import { type BatchBounds, type Logger, type Traceparent, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "./createPublish.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import { type AttemptOutcome, describe } from "./send/sendRequest.ts"

export type RecordParts = Writes & {
  publish: Publish
  topics: Pick<TopicNames, "retry">
  metrics: DispatcherMetrics
  log: Logger
}

/** How long to wait for the start of the response's body. Meanwhile, the delivery counts towards MAX_OUTSTANDING_RECORDS. */
const failureExcerptMs = 250
const successExcerptMs = 20

/** Limits the memory that retry records need while Kafka is unavailable: the poll finds what is due. */
const giveUpAfterMs = 5_000

/** Each function resolves when the outcome is durable. */
export function createRecordOutcome(parts: RecordParts) {
  const { storeDelivery, recordAttempt, releaseClaim, publish, topics, metrics, log } = parts

  async function defer(due: DueDelivery, reason: DeferralReason): Promise<void> {
    if (due.claim) await releaseClaim({ id: due.id, leaseExpiresAt: due.claim.leaseExpiresAt, reason })
    else {
      // The retry period starts with the first failed attempt, or when the partner's open circuit breaker prevents the first
      // attempt. A delivery that was deferred for another reason before any attempt has used none of it.
      const elapsedMs = reason === "breaker" ? performance.now() - due.since : null
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
    // After the row, which alone decides what is attempted.
    if (decision.retry) scheduleRetry(due, decision.retry.step, attempt.traceparent)
    report(due, attempt)
  }

  /**
   * Publishes a record that wakes the delivery when its next attempt is due. Nobody waits for it: a delivery that no record wakes is
   * found by the poll. `failed`: the context of the attempt, to which the retry links.
   */
  function scheduleRetry({ id, attempt }: DueDelivery, step: number, failed: Traceparent | null): void {
    const topic = topics.retry[step]
    if (topic === undefined) throw new Error(`there is no retry topic for step ${step}`)
    const next: RetryRecord = { delivery: id, attempt: attempt + 1 }
    const record = { topic, key: id, value: JSON.stringify(next), ...traceHeaders(failed) }
    publish(record, { giveUpAfterMs }).catch(() => {})
  }

  function report(due: DueDelivery, { outcome, decision, traceparent }: Made): void {
    const { error, status, started_at: startedAt, duration_ms: totalMs } = outcome
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
  return {
    ...outcome,
    delivery_id: due.id,
    number: due.attempt,
    secret_id: due.channel.secret_id,
    response_excerpt: excerpt?.length ? excerpt : null,
    state: decision.state,
    scheduled: decision.retry,
    elapsed_ms: elapsedMs,
    attempt_traceparent: traceparent,
    claim: due.claim,
  }
}

export type WriteParts = Writing & {
  sql: Sql
  events: { store: (batch: FirstOutcome[]) => Promise<string[]> }
  statements: Pick<typeof deliveries, "recordAttempts" | "releaseClaims">
  config: { PUBLISH_OUTCOMES: boolean }
}

/** Many rows share a commit. The wait for more is short, because attempts that are not stored at a kill are repeated. */
const recording: BatchBounds = { lingerMs: 25, flushAt: 32, maxBatch: 500, maxRunning: 2 }
const releasing: BatchBounds = { lingerMs: 2, maxBatch: 500, maxRunning: 1 }

/** Each function resolves once its row is committed. */
export function createWrites({ sql, events, statements, config, ...writing }: WriteParts) {
  const settings = { publishOutcomes: config.PUBLISH_OUTCOMES }
  function inBatches<Row>(
    what: string,
    bounds: BatchBounds,
    idOf: (row: Row) => string,
    write: (rows: Row[]) => Promise<string[]>,
  ): (row: Row) => Promise<unknown> {
    async function writeRows(rows: Row[]): Promise<(null | "locked")[]> {
      const locked = new Set(await write(rows))
      return rows.map((row) => (locked.has(idOf(row)) ? "locked" : null))
    }
    return batchWrites({ ...writing, what, bounds, owner: "delivery", idOf, write: writeRows }).write
  }
  return {
    storeDelivery: inBatches<FirstOutcome>(
      "store deliveries",
      recording,
      ({ delivery }) => delivery.id,
      events.store,
    ),
    recordAttempt: inBatches<AttemptRecord>(
      "record attempts",
      recording,
      (made) => made.delivery_id,
      (batch) => statements.recordAttempts(sql, batch, settings),
    ),
    releaseClaim: inBatches<Release>(
      "release claims",
      releasing,
      ({ id }) => id,
      (batch) => statements.releaseClaims(sql, batch),
    ),
  }
}

export type Writes = ReturnType<typeof createWrites>
