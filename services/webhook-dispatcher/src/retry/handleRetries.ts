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
    const { delivery, attempt, failures, correlation } = next
    // A crash, a rebalance or the sweep can leave a second record of an attempt. Numbers are compared and not times, because
    // clocks may differ.
    if (!row || attempt <= row.attempts) {
      metrics.stale.inc()
      const why = row ? "the attempt was made already" : "no attempt is scheduled, or this is being changed"
      log.info({ delivery, attempt, correlation, why }, "a due retry is stale; it is dropped")
      return
    }
    const { id, eventId, channel, body, traceparent } = row
    const since = new Date(steadyClock.now() - row.elapsedMs).toISOString()
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
