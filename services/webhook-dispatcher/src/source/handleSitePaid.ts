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

type ValidEvent = { record: ConsumerRecord; paid: SitePaid }

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
    const locked: ValidEvent[] = []
    // Awaited together: if one of these promises failed while nothing awaited it, Node would end the process.
    const work: Promise<void>[] = []
    for (const record of records) {
      const read = readSitePaid(record.value)
      if (!read.ok) {
        work.push(reject(record, read.reason).then(() => done(record)))
        continue
      }
      const event = { record, paid: read.value }
      const acquired = lock.acquire(event.paid.id)
      if (acquired === null) locked.push(event)
      else work.push(acquired.then(() => handleLocked([event], done)))
    }
    if (locked.length > 0) work.push(handleLocked(locked, done))
    await Promise.all(work)
  }

  async function handleLocked(events: ValidEvent[], done: Done): Promise<void> {
    const begun = events.map(({ record, paid }) => {
      const span = startEventSpan(tracing, record, paid)
      return { record, span, delivery: newDelivery(record, paid, span?.traceparent ?? null) }
    })
    const deliveries = begun.map(({ delivery }) => delivery)
    const lookUp = () => parts.events.lookUp(deliveries)
    const rows = await retry("look up events", lookUp).catch((error: unknown) => {
      for (const { eventId } of deliveries) lock.release(eventId)
      throw error
    })
    const since = performance.now()
    await Promise.all(begun.map((event, at) => handleEvent(event, rows[at], since, done)))
  }

  async function handleEvent(
    { record, span, delivery }: { record: ConsumerRecord; span: Span | null; delivery: NewDelivery },
    row: LookedUpEvent | undefined,
    since: number,
    done: Done,
  ): Promise<void> {
    if (!row) throw new Error("the statement that looks events up returned too few rows")
    try {
      if (row.channel_id === null || row.differs) {
        const reason =
          row.channel_id === null
            ? "unknown channel"
            : "its id was published before with other data; use a new id for a correction"
        await reject(record, reason)
        span?.end({ attributes: { "sitewire.outcome": "invalid" }, error: "invalid" })
      } else {
        // Frees memory, because the record may contain large unknown fields.
        record.value = null
        const outcome = row.known ? "duplicate" : row.erased ? "erased" : "accepted"
        metrics.events.inc({ outcome })
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
        span?.end({ attributes: { "sitewire.outcome": outcome }, error: null })
      }
      done(record)
    } finally {
      lock.release(delivery.eventId)
    }
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

/** Locks events by their ids: a second record of an event waits for the first, and is then a duplicate. */
function createKeyedLock() {
  // Null while nothing waits, so that nearly all keys need no array.
  const waiters = new Map<string, (() => void)[] | null>()
  return {
    /** Null if the lock is acquired. Otherwise resolves when it is. */
    acquire(key: string): Promise<void> | null {
      const waiting = waiters.get(key)
      if (waiting === undefined) {
        waiters.set(key, null)
        return null
      }
      return new Promise((resolve) => {
        if (waiting === null) waiters.set(key, [resolve])
        else waiting.push(resolve)
      })
    },
    release(key: string): void {
      const next = waiters.get(key)?.shift()
      if (next) next()
      else waiters.delete(key)
    },
  }
}
