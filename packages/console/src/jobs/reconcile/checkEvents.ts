import {
  clockMarginMs,
  type DifferingEvent,
  firstRejectedAt,
  recordReader,
  type SitePaid,
  sha256,
  sitePaidSchema,
  siteReadyBody,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import type { ConsumerRecord, Offsets } from "@sitewire/kafka"
import { isConsumed, type Unresolved } from "./reconcilePosition.ts"

const readSitePaid = recordReader(sitePaidSchema)

const recordsPerQuery = 1_000
/** Limits the size of the saved position. */
const maxUnresolved = 5_000

export type Check = {
  isInPeriod: (record: ConsumerRecord) => boolean
  /** What the group had committed before the records were looked up. */
  committed: Offsets
  now: Date
  retentionMs: number
}

/**
 * Counts events by the state of their deliveries. `differing`: events whose data are not those of the delivery with their
 * id, so they were not delivered. `unresolved`: consumed records without a delivery, which
 * must be invalid events. Stops at `maxUnresolved`; `checked` is the number of records that it has checked.
 */
export async function checkEvents(
  sql: Sql,
  records: readonly ConsumerRecord[],
  { isInPeriod, committed, now, retentionMs }: Check,
): Promise<{
  counts: Record<string, number>
  unresolved: Unresolved[]
  differing: DifferingEvent[]
  checked: number
}> {
  // A delivery of an older event may have been deleted.
  const retainedSince = now.getTime() - retentionMs + clockMarginMs
  const counts: Record<string, number> = { events: 0 }
  const unresolved: Unresolved[] = []
  const differing: DifferingEvent[] = []
  let checked = 0
  while (checked < records.length && unresolved.length < maxUnresolved) {
    const some = records.slice(checked, checked + recordsPerQuery)
    checked += some.length
    const events = some.filter(isInPeriod).map((record) => ({ record, paid: sitePaidOf(record) }))
    const deliveries = await findDeliveries(
      sql,
      events.flatMap(({ paid }) => paid?.id ?? []),
    )
    for (const { record, paid } of events) {
      const delivery = paid === null ? undefined : deliveries.get(paid.id)
      counts.events = (counts.events ?? 0) + 1
      const outcome = delivery?.state ?? outcomeWithoutDelivery(record)
      if (paid && delivery && differs(paid, delivery)) {
        const { topic, partition, offset, appendedAt } = record
        const published_at = new Date(appendedAt).toISOString()
        differing.push({ topic, partition, offset, event_id: paid.id, published_at })
        counts.events_differing = differing.length
      }
      if (outcome !== null) counts[`events_${outcome}`] = (counts[`events_${outcome}`] ?? 0) + 1
      else {
        const { partition, offset, appendedAt: publishedAt, headers } = record
        const rejectedAt = firstRejectedAt(headers) ?? publishedAt
        unresolved.push({ partition, offset, eventId: paid?.id ?? null, publishedAt, rejectedAt })
      }
    }
  }
  return { counts, unresolved, differing, checked }

  function outcomeWithoutDelivery(record: ConsumerRecord): "unconsumed" | "expired" | null {
    if (!isConsumed(record, committed)) return "unconsumed"
    return record.appendedAt < retainedSince ? "expired" : null
  }
}

function sitePaidOf({ value }: ConsumerRecord): SitePaid | null {
  const read = readSitePaid(value)
  return read.ok ? read.value : null
}

type DeliveryRow = Pick<Prisma.DeliveryModel, "event_id" | "state" | "body_sha256">

/** An erased delivery has no digest. */
function differs(paid: SitePaid, { body_sha256: digest }: DeliveryRow): boolean {
  return digest.length > 0 && !sha256(siteReadyBody(paid)).equals(digest)
}

async function findDeliveries(sql: Sql, eventIds: string[]): Promise<Map<string, DeliveryRow>> {
  if (eventIds.length === 0) return new Map()
  const rows = await sql<DeliveryRow>(
    `select known_event.event_id, state, body_sha256
       from known_event join delivery on delivery.id = known_event.delivery_id
      where known_event.event_id = any($1::text[])`,
    [eventIds],
  )
  return new Map(rows.map((row) => [row.event_id, row]))
}
