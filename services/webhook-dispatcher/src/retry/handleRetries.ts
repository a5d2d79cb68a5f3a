import { type RetryRecord, recordReader, retryRecordSchema } from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { DueDelivery } from "../delivery.ts"
import type { KeyedLock } from "../keyedLock.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import { steadyClock } from "../steadyClock.ts"
import type { LoadedDelivery } from "./loadDeliveries.ts"

const readRetryRecord = recordReader(retryRecordSchema)

export type HandleRetriesParts = {
  load: (ids: string[]) => Promise<LoadedDelivery[]>
  handleDelivery: (due: DueDelivery) => Promise<void>
  lock: KeyedLock
  metrics: DispatcherMetrics
  log: Logger
}

type Retry = { next: RetryRecord; previousAttempt: string | null; done: () => void }

export function createHandleRetries(parts: HandleRetriesParts) {
  const { load, handleDelivery, lock, metrics, log } = parts

  async function handleRecords(
    records: ConsumerRecord[],
    done: (record: ConsumerRecord) => void,
  ): Promise<void> {
    const retries: Retry[] = []
    for (const record of records) {
      const next = parse(record)
      if (next === null) done(record)
      else {
        const previousAttempt = record.headers.traceparent ?? null
        retries.push({ next, previousAttempt, done: () => done(record) })
      }
    }
    await handleAll(retries)
  }

  async function handleAll(retries: Retry[]): Promise<void> {
    const work: Promise<void>[] = []
    // Lock the deliveries before reading their rows, so that no attempt of this process changes a row in
    // between.
    const locked = retries.filter((entry) => {
      const released = Promise.withResolvers<void>()
      const isLocked = lock.acquire(entry.next.delivery, released.resolve)
      if (!isLocked) work.push(released.promise.then(() => handleAll([entry])))
      return isLocked
    })
    if (locked.length > 0) work.push(handleLocked(locked))
    await Promise.all(work)
  }

  async function handleLocked(locked: Retry[]): Promise<void> {
    const rows = new Map<string, LoadedDelivery>()
    try {
      for (const row of await load(locked.map(({ next }) => next.delivery))) rows.set(row.id, row)
    } catch (error) {
      for (const { next } of locked) lock.release(next.delivery)
      throw error
    }
    const attempts = locked.map(async ({ next, previousAttempt, done }) => {
      try {
        await handleOne(next, rows.get(next.delivery), previousAttempt)
        done()
      } finally {
        lock.release(next.delivery)
      }
    })
    await Promise.all(attempts)
  }

  async function handleOne(
    next: RetryRecord,
    row: LoadedDelivery | undefined,
    previousAttempt: string | null,
  ): Promise<void> {
    const { attempt, failures, correlation } = next
    const seen = { delivery: next.delivery, attempt, correlation }
    const stale = staleReason(next, row)
    if (stale !== null || !row) {
      metrics.stale.inc()
      log.info({ ...seen, why: stale }, "a due retry is stale; it is dropped")
      return
    }
    const { id, eventId, channel, body, traceparent } = row
    const since = startOfPeriod(next.since, row)
    const due = { id, eventId, channel, body, attempt, failures, since, correlation, traceparent }
    await handleDelivery({ ...due, previousAttempt, claim: null })
  }

  /** Returns null for an unreadable record. */
  function parse(record: ConsumerRecord): RetryRecord | null {
    const result = readRetryRecord(record.value)
    if (result.ok) return result.value
    const { topic, partition, offset } = record
    log.error(
      { topic, partition, offset, reason: result.reason },
      "a retry record cannot be read; it is dropped, and the sweep will defer its delivery",
    )
    return null
  }

  return handleRecords
}

/**
 * Returns why a retry record must be dropped, or null. A crash, a rebalance or the sweep can leave a second
 * record of an attempt. Numbers and states are compared and not times, because clocks may differ.
 */
function staleReason({ attempt }: RetryRecord, row: LoadedDelivery | undefined): string | null {
  if (!row) return "the delivery is no longer stored"
  if (row.state === "erased") return "the delivery was erased on request"
  if (row.state === "cancelled") return "the delivery was cancelled"
  if (row.state === "dead") return "the delivery is dead"
  if (row.deferred) return "the delivery is deferred"
  if (attempt <= row.attempts) return "the attempt was made already"
  // The previous attempt was made twice after a crash: one was accepted, the other failed and published this
  // retry. (The retry of a failed resend is valid. It is scheduled in the row, so `lateMs` is set.)
  if (row.state === "delivered" && row.lateMs === null) return "the delivery was delivered"
  return null
}

/**
 * Returns when the retry period started, by the row's times (Postgres's clock), or by the record's `since` if
 * a crash prevented the row's update. The time by which the attempt is late does not count.
 */
function startOfPeriod(since: string, { elapsedMs, lateMs }: LoadedDelivery): string {
  if (elapsedMs === null) return since
  return new Date(steadyClock.now() - elapsedMs + Math.max(0, lateMs ?? 0)).toISOString()
}
