import { type DeliveryDue, deliveryDueSchema, recordReader } from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { DueDelivery } from "./delivery.ts"
import type { InFlight } from "./inFlight.ts"
import type { LoadedDelivery } from "./loadDeliveries.ts"
import type { DispatcherMetrics } from "./metrics.ts"
import type { PutOff } from "./recall.ts"

const readDue = recordReader(deliveryDueSchema)

export type TakeDueParts = {
  load: (ids: string[]) => Promise<LoadedDelivery[]>
  deliver: (due: DueDelivery) => Promise<void>
  inFlight: InFlight
  metrics: DispatcherMetrics
  log: Logger
}

/** A due attempt, and what to call once its outcome is durable. */
type Due = { next: DeliveryDue; done: () => void; keptUntil?: number }

/**
 * Takes due attempts, from the retry topics, a resend or an event that came again: loads the deliveries with their
 * channels as they are now, drops what is stale, and sees the rest through.
 */
export function createTakeDue(parts: TakeDueParts) {
  const { load, deliver, inFlight, metrics, log } = parts

  /** Calls `done` for a record when its outcome is durable. Rejects where one stays undone. */
  async function takeRecords(records: Incoming[], done: (record: Incoming) => void): Promise<void> {
    const due: Due[] = []
    for (const record of records) {
      const next = read(record)
      if (next === null) done(record)
      else due.push({ next, done: () => done(record) })
    }
    await attemptAll(due)
  }

  async function attemptAll(due: Due[]): Promise<void> {
    const work: Promise<void>[] = []
    // Taken before the rows are read: what is read stays true until it is released.
    const taken = due.filter((entry) => {
      const free = Promise.withResolvers<void>()
      const isTaken = inFlight.take(entry.next.delivery, free.resolve)
      if (!isTaken) work.push(free.promise.then(() => attemptAll([entry])))
      return isTaken
    })
    if (taken.length > 0) work.push(attemptTaken(taken))
    await Promise.all(work)
  }

  async function attemptTaken(taken: Due[], asked = () => {}): Promise<void> {
    const rows = new Map<string, LoadedDelivery>()
    try {
      for (const row of await load(taken.map(({ next }) => next.delivery))) rows.set(row.id, row)
    } catch (error) {
      for (const { next } of taken) inFlight.release(next.delivery)
      throw error
    }
    const attempts = taken.map(async (entry) => {
      const { delivery } = entry.next
      try {
        await attemptOne(entry, rows.get(delivery))
        entry.done()
      } finally {
        inFlight.release(delivery)
      }
    })
    asked()
    await Promise.all(attempts)
  }

  async function attemptOne({ next, keptUntil }: Due, row: LoadedDelivery | undefined): Promise<void> {
    const { attempt, failures, since, correlation } = next
    const seen = { delivery: next.delivery, attempt, correlation }
    if (!row) {
      log.info(seen, "a due delivery is no longer kept; dropped")
      return
    }
    if (row.erased) {
      log.info(seen, "a due delivery was erased on request; dropped")
      return
    }
    if (attempt <= row.attempts) {
      metrics.stale.inc()
      log.debug({ ...seen, attempts: row.attempts }, "a due attempt has been made already; dropped")
      return
    }
    // A crash or a rebalance can make an attempt twice, with two outcomes: one was taken, and the other has put a next
    // attempt here. A resend's chain begins after the delivery, so it is not meant.
    if (failures > 0 && row.deliveredAt !== null && Date.parse(since) <= row.deliveredAt.getTime()) {
      metrics.stale.inc()
      log.info(seen, "a due attempt continues a chain that was delivered; dropped")
      return
    }
    const { id, eventId, channel, body } = row
    const kept = keptUntil === undefined ? {} : { keptUntil }
    await deliver({ id, eventId, channel, body, attempt, failures, since, correlation, ...kept })
  }

  /** These records are our own; one that cannot be read is a fault of ours, and the row shows the delivery pending. */
  function read(record: Incoming): DeliveryDue | null {
    const result = readDue(record.value)
    if (result.ok) return result.value
    const { topic, partition, offset } = record
    log.error({ topic, partition, offset, reason: result.reason }, "a due attempt cannot be read; dropped")
    return null
  }

  return {
    takeRecords,
    /** One due attempt that no record of ours carries. Resolves when its outcome is durable, or at once if stale. */
    attempt: (next: DeliveryDue) => attemptAll([{ next, done: () => {} }]),
    /**
     * Attempts whose records are still away. `asked` is called once each has asked its channel for a place, `ended` for
     * each whose outcome is durable.
     */
    async recall(batch: readonly PutOff[], asked: () => void, ended: () => void): Promise<void> {
      const due = batch.map(({ next, until }): Due => ({ next, keptUntil: until, done: ended }))
      // Where somebody has it in hand already, that one makes the attempt.
      await attemptTaken(
        due.filter(({ next }) => inFlight.take(next.delivery, () => {})),
        asked,
      )
    },
  }
}
