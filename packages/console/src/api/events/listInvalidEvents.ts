import type { Offsets } from "@sitewire/kafka"
import { z } from "zod"
import { type ApiContext, implement } from "../implement.ts"
import { listPage } from "../pagination.ts"
import type { InvalidRecord } from "./invalidEventResponse.ts"
import { type InvalidEventRow, readNewestInvalid } from "./readNewestInvalid.ts"

export const listInvalidEvents = implement(
  "listInvalidEvents",
  async ({ invalidTopic, prisma }, { query }) => {
    const end = await invalidTopic.end()
    return listPage(
      query,
      {
        key: offsetsUpTo(end),
        keyOf: ({ before }: InvalidEventRow) => before,
        read: (before = end, count) => readNewestInvalid(invalidTopic, before, count, query.event),
      },
      async (rows) => {
        const events = rows.map(({ event }) => event)
        const deliveries = await findDeliveries(prisma, events)
        return events.map((event) => ({ ...event, delivery: deliveries.get(idOf(event) ?? "") ?? null }))
      },
    )
  },
)

/** An invalid event has a delivery if it was replayed, or if another record with the same id was valid. */
async function findDeliveries(prisma: ApiContext["prisma"], events: readonly InvalidRecord[]) {
  const ids = events.flatMap((event) => idOf(event) ?? [])
  const rows = await prisma.knownEvent.findMany({ where: { event_id: { in: ids } } })
  return new Map(rows.map(({ event_id, delivery_id }) => [event_id, delivery_id]))
}

const idOf = ({ event_id, key }: InvalidRecord) => event_id ?? key

/**
 * Checks a cursor, which contains an offset for each partition. Offsets beyond the topic's end are rejected.
 */
const offsetsUpTo = (end: Offsets) =>
  z
    .record(z.string(), z.string().regex(/^\d{1,19}$/, { abort: true }))
    .refine((offsets) =>
      Object.entries(offsets).every(([partition, offset]) => BigInt(offset) <= BigInt(end[partition] ?? -1)),
    )
