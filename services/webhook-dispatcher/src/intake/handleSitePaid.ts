import {
  type DeliveryDue,
  invalidRecordHeaders,
  recordReader,
  type SitePaid,
  sha256,
  sitePaidSchema,
  siteReadyBody,
} from "@sitewire/contracts"
import type { Incoming } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"
import { type DueDelivery, toChannel } from "../delivery.ts"
import type { DispatcherMetrics } from "../metrics.ts"
import type { UnattemptedDelivery } from "./findUnattempted.ts"
import type { NewDelivery, StoredRow } from "./storeDeliveries.ts"

const readSitePaid = recordReader(sitePaidSchema)

export type HandleSitePaidParts = {
  store: (batch: NewDelivery[]) => Promise<StoredRow[]>
  /** The deliveries of events that were published before, where only their events carry them. */
  findUnattempted: (eventIds: string[]) => Promise<UnattemptedDelivery[]>
  publish: Publish
  /** Handles a delivery that nobody else can know yet; resolves when its outcome is durable. */
  handleNewDelivery: (due: DueDelivery) => Promise<void>
  /** Handles one that was stored before, unless that attempt has been made. */
  handleStoredDelivery: (next: DeliveryDue) => Promise<void>
  invalidTopic: string
  /** Whether the database refused what a record holds, and not the statement whatever it holds. */
  isInvalidData: (error: unknown) => boolean
  metrics: DispatcherMetrics
  log: Logger
}

/** By the ids of their events. */
type UnattemptedDeliveries = ReadonlyMap<string, UnattemptedDelivery>
const noneBefore: Promise<UnattemptedDeliveries> = Promise.resolve(new Map())

type Accepted = {
  record: Incoming
  paid: SitePaid
  delivery: NewDelivery
  /** What came behind it in the same batch with the same id. */
  copies: Incoming[] | null
}

/** By all of a batch. */
type Shared = { before: Promise<UnattemptedDeliveries>; since: string; done: (record: Incoming) => void }

/**
 * Handles a batch of `site.paid`: rejects what cannot be delivered, stores the rest with one statement, and handles each delivery's
 * first attempt. Calls `done` for a record when its outcome is durable. Rejects where a record stays unfinished; it comes again after
 * a restart.
 */
export function createHandleSitePaid(parts: HandleSitePaidParts) {
  const {
    store,
    findUnattempted,
    publish,
    handleNewDelivery,
    handleStoredDelivery,
    invalidTopic,
    isInvalidData,
    metrics,
    log,
  } = parts

  async function handleSitePaid(records: Incoming[], done: (record: Incoming) => void): Promise<void> {
    const accepted = new Map<string, Accepted>()
    const rejections: Promise<void>[] = []
    for (const record of records) {
      const read = readSitePaid(record.value)
      if (!read.ok) rejections.push(reject(record, read.reason).then(() => done(record)))
      else {
        const first = accepted.get(read.value.id)
        if (!first) accepted.set(read.value.id, accept(record, read.value))
        else if (first.copies) first.copies.push(record)
        else first.copies = [record]
      }
    }
    const deliveries = storeAndDeliver([...accepted.values()], done).then((begun) => Promise.all(begun))
    // Together: a rejection that fails during the store would be an error nobody caught, which ends the process at once.
    await Promise.all([deliveries, ...rejections])
  }

  async function storeAndDeliver(
    batch: Accepted[],
    done: (record: Incoming) => void,
  ): Promise<Promise<void>[]> {
    if (batch.length === 0) return []
    let rows: StoredRow[]
    try {
      rows = await store(batch.map(({ delivery }) => delivery))
    } catch (error) {
      if (!isInvalidData(error)) throw error
      return isolate(batch, error, done)
    }
    const known = batch.filter((_, at) => rows[at]?.channel_id !== null && rows[at]?.fresh === false)
    // Not waited for here: until a new delivery is locked, a later copy of its event could lock it as well.
    const before = known.length > 0 ? findAll(known.map(({ paid }) => paid.id)) : noneBefore
    const since = new Date().toISOString()
    const shared = { before, since, done }
    return batch.map((entry, at) => finish(entry, rows[at], shared).then(() => done(entry.record)))
  }

  async function findAll(eventIds: string[]): Promise<UnattemptedDeliveries> {
    return new Map((await findUnattempted(eventIds)).map((delivery) => [delivery.event_id, delivery]))
  }

  /** A statement that the database refuses for good: one record is at fault, and the others must not suffer. */
  async function isolate(
    batch: Accepted[],
    error: unknown,
    done: (record: Incoming) => void,
  ): Promise<Promise<void>[]> {
    const [only] = batch
    if (only && batch.length === 1) {
      log.error({ error, event: only.paid.id }, "an event cannot be stored")
      return [rejectFirst(only, "cannot be stored", done).then(() => done(only.record))]
    }
    const work: Promise<void>[] = []
    for (const entry of batch) {
      const begun = await storeAndDeliver([entry], done)
      // Told by the call, when the others are stored as well.
      for (const one of begun) one.catch(() => {})
      work.push(...begun)
    }
    return work
  }

  async function finish(
    entry: Accepted,
    row: StoredRow | undefined,
    { before, since, done }: Shared,
  ): Promise<void> {
    const { paid, delivery, copies } = entry
    if (!row) throw new Error("the statement that stores deliveries returned too few rows")
    if (row.channel_id === null) return rejectFirst(entry, "unknown channel", done)
    // What a publisher added that we do not know can be much, and the delivery may take long.
    entry.record.value = null
    metrics.events.inc({ outcome: !row.fresh ? "duplicate" : row.erased ? "erased" : "accepted" })
    if (copies) {
      metrics.events.inc({ outcome: "duplicate" }, copies.length)
      // The first is what is delivered, and is not committed before that.
      copies.forEach(done)
    }
    if (!row.fresh) {
      const known = (await before).get(paid.id)
      return known ? handleAgain(known) : undefined
    }
    if (row.erased) {
      log.info({ delivery: row.id, event: paid.id }, "an event was erased on request before it was delivered")
      return
    }
    await handleNewDelivery({
      id: row.id,
      eventId: paid.id,
      channel: toChannel(row),
      body: delivery.body,
      attempt: 1,
      failures: 0,
      since,
      correlation: delivery.correlation,
      claim: null,
    })
  }

  /** The event was published before, and a crash came before its first attempt. This record carries the delivery now. */
  async function handleAgain({ id, correlation }: UnattemptedDelivery): Promise<void> {
    const since = new Date().toISOString()
    await handleStoredDelivery({ delivery: id, attempt: 1, failures: 0, since, correlation })
  }

  /** What came behind it with its id is judged by itself, as in a later batch: it may be the event put right. */
  async function rejectFirst(
    { record, copies }: Accepted,
    reason: string,
    done: (record: Incoming) => void,
  ): Promise<void> {
    await Promise.all([reject(record, reason), copies && handleSitePaid(copies, done)])
  }

  /** Publishes an invalid record as it came, with the reason and its origin. */
  async function reject(record: Incoming, reason: string): Promise<void> {
    const { topic, partition, offset, key, value } = record
    const origin = {
      [invalidRecordHeaders.reason]: reason,
      [invalidRecordHeaders.topic]: topic,
      [invalidRecordHeaders.partition]: String(partition),
      [invalidRecordHeaders.offset]: offset,
    }
    const headers = { ...record.headers, ...origin }
    const published = await publish({ topic: invalidTopic, key, value, headers })
    if (published.kind === "refused") {
      // Its origin in site.paid is all that can be stored; waiting would block the partition for good.
      const cut = `${reason}; not stored here (${published.why}): ${value?.byteLength ?? 0} bytes`
      await publish({
        topic: invalidTopic,
        key: null,
        value: null,
        headers: { ...origin, [invalidRecordHeaders.reason]: cut },
      })
    }
    metrics.events.inc({ outcome: "invalid" })
    log.warn({ topic, partition, offset, reason }, "a record of site.paid is invalid")
  }

  return handleSitePaid
}

function accept(record: Incoming, paid: SitePaid): Accepted {
  const body = siteReadyBody(paid)
  const delivery: NewDelivery = {
    eventId: paid.id,
    channelId: paid.channel,
    body,
    bodySha256: sha256(body),
    correlation: correlationOf(record, paid),
    appendedAt: record.appendedAt,
  }
  return { record, paid, delivery, copies: null }
}

/** The publisher's own correlation id where it sent a usable one, and else the event's id. */
function correlationOf(record: Incoming, paid: SitePaid): string {
  const given = record.headers.correlation
  return given !== undefined && /^[\x21-\x7e]{1,200}$/.test(given) ? given : paid.id
}
