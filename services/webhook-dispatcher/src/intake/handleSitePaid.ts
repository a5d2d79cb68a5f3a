import {
  type RetryRecord,
  recordReader,
  referenceDigest,
  type SitePaid,
  sha256,
  siteDigest,
  sitePaidSchema,
  siteReadyBody,
} from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import type { Logger, Span, Tracing } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import { type DueDelivery, toChannel } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import { type EventOutcome, endEventSpan, startEventSpan } from "./eventSpan.ts"
import type { UnattemptedDelivery } from "./findUnattempted.ts"
import { createRejectInvalidRecord } from "./rejectInvalidRecord.ts"
import type { NewDelivery, StoredRow } from "./storeDeliveries.ts"

const readSitePaid = recordReader(sitePaidSchema)

export type HandleSitePaidParts = {
  store: (batch: NewDelivery[]) => Promise<StoredRow[]>
  findUnattempted: (eventIds: string[]) => Promise<UnattemptedDelivery[]>
  publish: Publish
  handleNewDelivery: (due: DueDelivery) => Promise<void>
  /** Attempts a delivery that was stored earlier, unless the attempt was made since. */
  handleStoredDelivery: (next: RetryRecord) => Promise<void>
  invalidTopic: string
  metrics: DispatcherMetrics
  tracing: Tracing
  log: Logger
}

/** By event id. */
type UnattemptedDeliveries = ReadonlyMap<string, UnattemptedDelivery>
const noUnattempted: Promise<UnattemptedDeliveries> = Promise.resolve(new Map())

/** `duplicates`: later records of the batch with the same event id. */
type ValidEvent = {
  record: ConsumerRecord
  paid: SitePaid
  delivery: NewDelivery
  duplicates: ConsumerRecord[] | null
  /** From the record to the durable outcome of the first attempt. */
  span: Span | null
}

type Done = (record: ConsumerRecord) => void
type Batch = { unattempted: Promise<UnattemptedDeliveries>; since: string; done: Done }

/**
 * Rejects the invalid records of a batch, stores the valid events with one statement, and makes each
 * delivery's first attempt. Calls `done` for a record when its outcome is durable.
 */
export function createHandleSitePaid(parts: HandleSitePaidParts) {
  const { store, findUnattempted, handleNewDelivery, handleStoredDelivery, metrics, tracing, log } = parts
  const reject = createRejectInvalidRecord(parts)

  async function handleSitePaid(records: ConsumerRecord[], done: Done): Promise<void> {
    const valid = new Map<string, ValidEvent>()
    const rejections: Promise<void>[] = []
    for (const record of records) {
      const read = readSitePaid(record.value)
      if (!read.ok) rejections.push(reject(record, read.reason).then(() => done(record)))
      else {
        const first = valid.get(read.value.id)
        if (!first)
          valid.set(
            read.value.id,
            toValidEvent(record, read.value, startEventSpan(tracing, record, read.value)),
          )
        else if (first.duplicates) first.duplicates.push(record)
        else first.duplicates = [record]
      }
    }
    const deliveries = storeAndDeliver([...valid.values()], done).then((started) => Promise.all(started))
    // Awaited together: if one of the promises in `rejections` failed while nothing awaited it, Node would
    // end the process.
    await Promise.all([deliveries, ...rejections])
  }

  async function storeAndDeliver(batch: ValidEvent[], done: Done): Promise<Promise<void>[]> {
    if (batch.length === 0) return []
    const rows = await store(batch.map(({ delivery }) => delivery))
    const known = batch.filter((_, at) => rows[at]?.channel_id !== null && rows[at]?.inserted === false)
    // Not awaited here, because this batch must lock its new deliveries before a duplicate in a later batch
    // can.
    const unattempted = known.length > 0 ? findAll(known.map(({ paid }) => paid.id)) : noUnattempted
    const shared = { unattempted, since: new Date().toISOString(), done }
    return batch.map(async (event, at) => {
      endEventSpan(event.span, await deliver(event, rows[at], shared))
      done(event.record)
    })
  }

  async function findAll(eventIds: string[]): Promise<UnattemptedDeliveries> {
    return new Map((await findUnattempted(eventIds)).map((delivery) => [delivery.event_id, delivery]))
  }

  async function deliver(event: ValidEvent, row: StoredRow | undefined, batch: Batch): Promise<EventOutcome> {
    const { paid, delivery, duplicates } = event
    if (!row) throw new Error("the statement that stores deliveries returned too few rows")
    if (row.channel_id === null) {
      await rejectFirst(event, "unknown channel", batch.done)
      return "invalid"
    }
    // Frees memory, because the record may contain large unknown fields.
    event.record.value = null
    const outcome = !row.inserted ? "duplicate" : row.erased ? "erased" : "accepted"
    metrics.events.inc({ outcome })
    if (duplicates) {
      metrics.events.inc({ outcome: "duplicate" }, duplicates.length)
      // Duplicates need not wait for the attempt, because offsets behind the first record are not committed
      // before that record is done.
      duplicates.forEach(batch.done)
    }
    if (!row.inserted) {
      const known = (await batch.unattempted).get(paid.id)
      if (known) await attemptStored(known)
      return outcome
    }
    if (row.erased) {
      log.info(
        { delivery: row.id, event: paid.id },
        "an event was erased before its delivery; it is not sent",
      )
      return outcome
    }
    await handleNewDelivery({
      id: row.id,
      eventId: paid.id,
      channel: toChannel(row),
      body: delivery.body,
      attempt: 1,
      failures: 0,
      since: batch.since,
      correlation: delivery.correlation,
      traceparent: delivery.traceparent ?? null,
      claim: null,
    })
    return outcome
  }

  /**
   * If a process crashes after it has stored a delivery and before the first attempt, the event is consumed
   * again. This makes the missing attempt.
   */
  async function attemptStored({ id, correlation }: UnattemptedDelivery): Promise<void> {
    const since = new Date().toISOString()
    await handleStoredDelivery({ delivery: id, attempt: 1, failures: 0, since, correlation })
  }

  /** Duplicates of a rejected event are handled as new events, because one may be its corrected version. */
  async function rejectFirst({ record, duplicates }: ValidEvent, reason: string, done: Done): Promise<void> {
    await Promise.all([reject(record, reason), duplicates && handleSitePaid(duplicates, done)])
  }

  return handleSitePaid
}

function toValidEvent(record: ConsumerRecord, paid: SitePaid, span: Span | null): ValidEvent {
  const body = siteReadyBody(paid)
  const delivery: NewDelivery = {
    eventId: paid.id,
    channelId: paid.channel,
    body,
    bodySha256: sha256(body),
    searchDigests: Buffer.concat([referenceDigest(paid.reference), siteDigest(paid.site_url)]),
    correlation: correlationOf(record, paid),
    traceparent: span?.traceparent ?? null,
    appendedAt: record.appendedAt,
  }
  return { record, paid, delivery, duplicates: null, span }
}

function correlationOf(record: ConsumerRecord, paid: SitePaid): string {
  const { correlation } = record.headers
  return correlation !== undefined && /^[\x21-\x7e]{1,200}$/.test(correlation) ? correlation : paid.id
}
