import { isDeepStrictEqual } from "node:util"
import {
  clockMarginMs,
  deliveryIdOf,
  onlyEmailDigest,
  readCorrelation,
  recordReader,
  referenceDigest,
  type SitePaid,
  sha256,
  siteDigest,
  sitePaidMaxAgeMs,
  sitePaidSchema,
  siteReadyBody,
} from "@sitewire/contracts"
import type { DueDelivery, LookedUpEvent, NewDelivery } from "@sitewire/deliveries"
import type { ConsumerRecord } from "@sitewire/kafka"
import {
  type Logger,
  processAttributes,
  type RetryStatement,
  type Span,
  type Traceparent,
  type Tracing,
} from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { Writes } from "../record.ts"
import { createRejectInvalidRecord } from "./rejectInvalidRecord.ts"

const readSitePaid = recordReader(sitePaidSchema)

export type HandleSitePaidParts = Pick<Writes, "storeDelivery"> & {
  events: { lookUp: (events: NewDelivery[]) => Promise<LookedUpEvent[]> }
  retry: RetryStatement
  publish: Publish
  handleDelivery: (due: DueDelivery) => Promise<void>
  invalidTopic: string
  metrics: DispatcherMetrics
  tracing: Tracing
  log: Logger
}

/** `duplicates` and `others`: later records of the batch with the same event id, and the same or other data. */
type ValidEvent = {
  record: ConsumerRecord
  paid: SitePaid
  duplicates: ConsumerRecord[]
  others: ConsumerRecord[]
}

type Done = (record: ConsumerRecord) => void

/**
 * Rejects the invalid records of a batch, looks the valid events up with one statement, and makes the first attempt of
 * each new one. Calls `done` for a record when its outcome is durable. Until then only Kafka has the event: after a crash,
 * its record is consumed again.
 */
export function createHandleSitePaid(parts: HandleSitePaidParts) {
  const { retry, storeDelivery, handleDelivery, metrics, tracing, log } = parts
  const lock = createKeyedLock()
  const reject = createRejectInvalidRecord(parts)

  async function handleSitePaid(records: ConsumerRecord[], done: Done): Promise<void> {
    const valid = new Map<string, ValidEvent>()
    // Awaited together: if one of these promises failed while nothing awaited it, Node would end the process.
    const work: Promise<void>[] = []
    for (const record of records) {
      const read = readSitePaid(record.value)
      if (!read.ok) work.push(reject(record, read.reason).then(() => done(record)))
      else {
        const first = valid.get(read.value.id)
        if (!first) valid.set(read.value.id, { record, paid: read.value, duplicates: [], others: [] })
        else first[isDeepStrictEqual(first.paid, read.value) ? "duplicates" : "others"].push(record)
      }
    }
    const locked = [...valid.values()].filter(({ record, paid, duplicates, others }) => {
      // Another record of the event is being attempted. After that, this one is a duplicate.
      const released = Promise.withResolvers<void>()
      const isLocked = lock.acquire(paid.id, released.resolve)
      if (!isLocked)
        work.push(released.promise.then(() => handleSitePaid([record, ...duplicates, ...others], done)))
      return isLocked
    })
    if (locked.length > 0) work.push(handleLocked(locked, done))
    await Promise.all(work)
  }

  async function handleLocked(events: ValidEvent[], done: Done): Promise<void> {
    const begun = events.map((event) => {
      const span = startEventSpan(tracing, event.record, event.paid)
      return { event, span, delivery: newDelivery(event.record, event.paid, span?.traceparent ?? null) }
    })
    const deliveries = begun.map(({ delivery }) => delivery)
    const lookUp = () => parts.events.lookUp(deliveries)
    const rows = await retry("look up events", lookUp).catch((error: unknown) => {
      for (const { paid } of events) lock.release(paid.id)
      throw error
    })
    const since = performance.now()
    await Promise.all(begun.map((one, at) => handleEvent(one, rows[at], since, done)))
  }

  async function handleEvent(
    { event, span, delivery }: { event: ValidEvent; span: Span | null; delivery: NewDelivery },
    row: LookedUpEvent | undefined,
    since: number,
    done: Done,
  ): Promise<void> {
    const { record, paid, duplicates, others } = event
    if (!row) throw new Error("the statement that looks events up returned too few rows")
    try {
      if (row.channel_id === null || row.differs) {
        const reason =
          row.channel_id === null
            ? "unknown channel"
            : "its id was published before with other data; use a new id for a correction"
        await Promise.all([record, ...duplicates].map((each) => reject(each, reason)))
        duplicates.forEach(done)
        endEventSpan(span, "invalid")
      } else {
        // Frees memory, because the record may contain large unknown fields.
        record.value = null
        const outcome = row.known ? "duplicate" : row.erased ? "erased" : "accepted"
        countEvents(outcome, duplicates)
        // Duplicates need not wait for the attempt, because offsets behind the first record are not committed before that
        // record is done.
        duplicates.forEach(done)
        if (outcome === "erased") await storeErased(delivery)
        if (outcome === "accepted")
          await handleDelivery({
            id: delivery.id,
            eventId: delivery.eventId,
            channel: row,
            body: delivery.body,
            attempt: 1,
            failures: 0,
            since,
            correlation: delivery.correlation,
            traceparent: delivery.traceparent,
            claim: null,
            unstored: delivery,
          })
        endEventSpan(span, outcome)
      }
      done(record)
    } finally {
      lock.release(paid.id)
    }
    // Handled as new events, because one may be the corrected version.
    if (others.length > 0) await handleSitePaid(others, done)
  }

  function countEvents(outcome: EventOutcome, duplicates: ConsumerRecord[]): void {
    metrics.events.inc({ outcome })
    if (duplicates.length > 0) metrics.events.inc({ outcome: "duplicate" }, duplicates.length)
  }

  async function storeErased(delivery: NewDelivery): Promise<void> {
    // Stored as deferred if the erasure was cancelled meanwhile, so that it is attempted.
    await storeDelivery({ delivery, attempt: null, deferral: { reason: "busy", elapsedMs: null } })
    log.info(
      { delivery: delivery.id, event: delivery.eventId },
      "an event was erased before its delivery; it is not sent",
    )
  }

  return handleSitePaid
}

type EventOutcome = "accepted" | "duplicate" | "erased" | "invalid"

/** The delivery of a valid event. */
function newDelivery(record: ConsumerRecord, paid: SitePaid, traceparent: Traceparent | null): NewDelivery {
  const body = siteReadyBody(paid)
  const appendedAt = plausibleTime(record)
  return {
    id: deliveryIdOf(paid.id, appendedAt),
    eventId: paid.id,
    channelId: paid.channel,
    body,
    bodySha256: sha256(body),
    searchDigests: Buffer.concat([referenceDigest(paid.reference), siteDigest(paid.site_url)]),
    emailSha256: onlyEmailDigest(paid),
    correlation: readCorrelation(record) ?? paid.id,
    traceparent,
    appendedAt,
  }
}

/**
 * The record's time, from which the delivery's id is made. Where a publisher's clock sets it, a time in the future, or one at which
 * Kafka would have deleted the record, is replaced by that of consumption. A repetition then has another delivery id.
 */
function plausibleTime({ appendedAt, timeFrom }: ConsumerRecord): number {
  if (timeFrom === "broker") return appendedAt
  const now = Date.now()
  const isPlausible =
    appendedAt <= now + clockMarginMs && appendedAt >= now - sitePaidMaxAgeMs - clockMarginMs
  return isPlausible ? appendedAt : now
}

/** Continues the publisher's trace, or starts one. */
function startEventSpan(tracing: Tracing, record: ConsumerRecord, paid: SitePaid): Span | null {
  return tracing.startTrace(`process ${record.topic}`, {
    kind: "consumer",
    parent: record.headers.traceparent,
    attributes: {
      ...processAttributes(record),
      "sitewire.event.id": paid.id,
      "sitewire.channel.id": paid.channel,
    },
  })
}

function endEventSpan(span: Span | null, outcome: EventOutcome): void {
  span?.end({
    attributes: { "sitewire.outcome": outcome },
    error: outcome === "invalid" ? "invalid" : null,
  })
}

/** Locks events by their ids: a second record of an event waits for the first, and is then a duplicate. */
function createKeyedLock() {
  // Null while nothing waits, so that nearly all keys need no array.
  const waiters = new Map<string, (() => void)[] | null>()
  return {
    /** Returns true if the lock was acquired. Otherwise `onReleased` is called when it is released. */
    acquire(key: string, onReleased: () => void): boolean {
      const waiting = waiters.get(key)
      if (waiting === undefined) {
        waiters.set(key, null)
        return true
      }
      if (waiting === null) waiters.set(key, [onReleased])
      else waiting.push(onReleased)
      return false
    },
    release(key: string): void {
      const waiting = waiters.get(key)
      waiters.delete(key)
      for (const onReleased of waiting ?? []) onReleased()
    },
  }
}
