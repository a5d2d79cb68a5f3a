import { clockMarginMs, recordReader, sitePaidSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
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
 * Counts events by the state of their deliveries. `unresolved`: consumed records without a delivery, which
 * must be invalid events. Stops at `maxUnresolved`; `checked` is the number of records that it has checked.
 */
export async function checkEvents(
  sql: Sql,
  records: readonly ConsumerRecord[],
  { isInPeriod, committed, now, retentionMs }: Check,
): Promise<{ counts: Record<string, number>; unresolved: Unresolved[]; checked: number }> {
  // A delivery of an older event may have been deleted.
  const retainedSince = now.getTime() - retentionMs + clockMarginMs
  const counts: Record<string, number> = { events: 0 }
  const unresolved: Unresolved[] = []
  let checked = 0
  while (checked < records.length && unresolved.length < maxUnresolved) {
    const some = records.slice(checked, checked + recordsPerQuery)
    checked += some.length
    const events = some.filter(isInPeriod).map((record) => ({ record, eventId: eventIdOf(record) }))
    const states = await findStates(
      sql,
      events.flatMap(({ eventId }) => eventId ?? []),
    )
    for (const { record, eventId } of events) {
      const state = eventId === null ? undefined : states.get(eventId)
      counts.events = (counts.events ?? 0) + 1
      const outcome = state ?? outcomeWithoutDelivery(record)
      if (outcome !== null) counts[`events_${outcome}`] = (counts[`events_${outcome}`] ?? 0) + 1
      else {
        const { partition, offset, appendedAt: publishedAt } = record
        unresolved.push({ partition, offset, eventId, publishedAt })
      }
    }
  }
  return { counts, unresolved, checked }

  function outcomeWithoutDelivery(record: ConsumerRecord): "unconsumed" | "expired" | null {
    if (!isConsumed(record, committed)) return "unconsumed"
    return record.appendedAt < retainedSince ? "expired" : null
  }
}

function eventIdOf({ value }: ConsumerRecord): string | null {
  const read = readSitePaid(value)
  return read.ok ? read.value.id : null
}

async function findStates(sql: Sql, eventIds: string[]): Promise<Map<string, string>> {
  if (eventIds.length === 0) return new Map()
  const rows = await sql<{ event_id: string; state: string }>(
    `select known_event.event_id, state from known_event join delivery on delivery.id = known_event.delivery_id
      where known_event.event_id = any($1::text[])`,
    [eventIds],
  )
  return new Map(rows.map(({ event_id, state }) => [event_id, state]))
}
