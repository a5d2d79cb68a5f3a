import { type DeliveryDue, deliveryDueSchema, recordReader } from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { DueDelivery } from "../delivery.ts"
import type { DeliveryLock } from "../deliveryLock.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { LoadedDelivery } from "./loadDeliveries.ts"

const readDue = recordReader(deliveryDueSchema)

export type HandleRetriesParts = {
  load: (ids: string[]) => Promise<LoadedDelivery[]>
  handleDelivery: (due: DueDelivery) => Promise<void>
  lock: DeliveryLock
  metrics: DispatcherMetrics
  log: Logger
}

/** A due attempt, and what to call once its outcome is durable. */
type Due = { next: DeliveryDue; done: () => void }

/**
 * Handles due attempts, from the retry topics or from an event that was published before: loads the deliveries with their channels as
 * they are now, drops what is stale, and handles the rest.
 */
export function createHandleRetries(parts: HandleRetriesParts) {
  const { load, handleDelivery, lock, metrics, log } = parts

  /** Calls `done` for a record when its outcome is durable. Rejects where one stays unfinished. */
  async function handleRecords(records: Incoming[], done: (record: Incoming) => void): Promise<void> {
    const due: Due[] = []
    for (const record of records) {
      const next = read(record)
      if (next === null) done(record)
      else due.push({ next, done: () => done(record) })
    }
    await handleAll(due)
  }

  async function handleAll(due: Due[]): Promise<void> {
    const work: Promise<void>[] = []
    // Locked before the rows are read: what is read stays true until the lock is released.
    const locked = due.filter((entry) => {
      const free = Promise.withResolvers<void>()
      const isLocked = lock.acquire(entry.next.delivery, free.resolve)
      if (!isLocked) work.push(free.promise.then(() => handleAll([entry])))
      return isLocked
    })
    if (locked.length > 0) work.push(handleLocked(locked))
    await Promise.all(work)
  }

  async function handleLocked(locked: Due[]): Promise<void> {
    const rows = new Map<string, LoadedDelivery>()
    try {
      for (const row of await load(locked.map(({ next }) => next.delivery))) rows.set(row.id, row)
    } catch (error) {
      for (const { next } of locked) lock.release(next.delivery)
      throw error
    }
    const attempts = locked.map(async ({ next, done }) => {
      try {
        await handleOne(next, rows.get(next.delivery))
        done()
      } finally {
        lock.release(next.delivery)
      }
    })
    await Promise.all(attempts)
  }

  async function handleOne(next: DeliveryDue, row: LoadedDelivery | undefined): Promise<void> {
    const { attempt, failures, correlation } = next
    const seen = { delivery: next.delivery, attempt, correlation }
    const stale = staleReason(next, row)
    if (stale !== null || !row) {
      metrics.stale.inc()
      log.info({ ...seen, why: stale }, "a due attempt is stale; dropped")
      return
    }
    const { id, eventId, channel, body } = row
    const since = startOfPeriod(next.since, row)
    await handleDelivery({ id, eventId, channel, body, attempt, failures, since, correlation, claim: null })
  }

  /** These records are our own; one that cannot be read is a fault of ours, and the sweep finds its delivery overdue. */
  function read(record: Incoming): DeliveryDue | null {
    const result = readDue(record.value)
    if (result.ok) return result.value
    const { topic, partition, offset } = record
    log.error({ topic, partition, offset, reason: result.reason }, "a due attempt cannot be read; dropped")
    return null
  }

  return {
    handleRecords,
    /** One due attempt that no retry topic carries. Resolves when its outcome is durable, or at once if stale. */
    attempt: (next: DeliveryDue) => handleAll([{ next, done: () => {} }]),
  }
}

/**
 * A crash, a rebalance or the sweep can leave a record whose attempt was made, or that no longer carries its delivery. Only numbers and
 * states are compared, and no clocks.
 */
function staleReason({ attempt }: DeliveryDue, row: LoadedDelivery | undefined): string | null {
  if (!row) return "the delivery is no longer stored"
  if (row.state === "erased") return "the delivery was erased on request"
  if (row.state === "dead") return "the delivery is dead"
  if (row.deferred) return "the delivery is deferred, and its row carries it"
  if (attempt <= row.attempts) return "the attempt was made already"
  // One of two runs of the same attempt was accepted, and the other has scheduled this one. A resend that failed is scheduled in the row.
  if (row.state === "delivered" && row.lateMs === null) return "the delivery was delivered"
  return null
}

/**
 * Start of the retry period. The row knows how much of it is over, by one clock for all; the record knows where a crash has kept that from
 * being written. The time by which an attempt is late does not count: nobody asked the partner in it.
 */
function startOfPeriod(since: string, { elapsedMs, lateMs }: LoadedDelivery): string {
  if (elapsedMs === null) return since
  return new Date(Date.now() - elapsedMs + Math.max(0, lateMs ?? 0)).toISOString()
}
