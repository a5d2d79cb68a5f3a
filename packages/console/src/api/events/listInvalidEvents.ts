import {
  identifierSchema,
  invalidRecordHeaders,
  pageQuerySchema,
  pageSchema,
  type RefusedEvent,
  refusedEventSchema,
  sitePaidSchema,
} from "@sitewire/contracts"
import type { Incoming, Offsets } from "@sitewire/kafka"
import { z } from "zod"
import { ok } from "../response.ts"
import type { InvalidTopic } from "../../jobs/job.ts"
import { readPieces } from "../../kafka/readInBatches.ts"
import { readPage } from "../pagination.ts"
import { defineRoute, type Parts } from "../defineRoute.ts"

export const listRefusedEvents = defineRoute({
  method: "get",
  path: "/v1/refused-events",
  operation: "listRefusedEvents",
  summary: "List refused events, newest first",
  description:
    "Records of site.paid.invalid, for as long as Kafka keeps them. They are read from Kafka, which takes up to some seconds.",
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of refused events.",
    schema: pageSchema(refusedEventSchema).meta({ id: "RefusedEventPage" }),
  },
  async handle({ invalid, prisma }, { query }) {
    const end = await invalid.end()
    const page = await readPage(query, {
      key: placesUpTo(end),
      keyOf: ({ below }: Refused) => below,
      read: (below = end, take) => readNewest(invalid, below, take),
    })
    if (page.kind === "problem") return page
    const events = page.rows.map(({ event }) => event)
    const deliveries = await findDeliveries(prisma, events)
    const data = events.map((event) => ({ ...event, delivery: deliveries.get(event.event_id ?? "") ?? null }))
    return ok({ data, next_cursor: page.next_cursor })
  },
})

/** By their events' ids: what was published again, or was valid another time. */
async function findDeliveries(prisma: Parts["prisma"], events: readonly RefusedRecord[]) {
  const ids = events.flatMap(({ event_id }) => event_id ?? [])
  const rows = await prisma.delivery.findMany({
    where: { eventId: { in: ids } },
    select: { id: true, eventId: true },
  })
  return new Map(rows.map(({ id, eventId }) => [eventId, id]))
}

/** A refused event, as far as its record tells. */
type RefusedRecord = Omit<RefusedEvent, "delivery">

/** `below`: where each partition is left once this event and all newer ones were shown. */
type Refused = { event: RefusedRecord; below: Offsets }

/** Places that the topic has. Reading up to another would wait for records that nobody publishes. */
const placesUpTo = (end: Offsets) =>
  z
    .record(z.string(), z.string().regex(/^\d{1,19}$/, { abort: true }))
    .refine((places) =>
      Object.entries(places).every(([partition, offset]) => BigInt(offset) <= BigInt(end[partition] ?? -1)),
    )

/** The newest `take` records below these places. */
async function readNewest(invalid: InvalidTopic, to: Offsets, take: number): Promise<Refused[]> {
  const from = Object.fromEntries(
    Object.entries(to).map(([partition, end]) => [partition, String(startOf(BigInt(end), BigInt(take)))]),
  )
  // By partition, in the order of offsets.
  const found = new Map<number, Found[]>()
  for await (const { records } of readPieces(invalid, from, to)) {
    for (const record of records) {
      const event = refusedEvent(record)
      const before = found.get(record.partition)
      if (before) before.push({ event, offset: record.offset })
      else found.set(record.partition, [{ event, offset: record.offset }])
    }
  }
  const newest: Refused[] = []
  for (let left = to; newest.length < take; ) {
    const next = takeNewest(found)
    if (!next) break
    left = { ...left, [next.partition]: next.offset }
    newest.push({ event: next.event, below: left })
  }
  return newest
}

type Found = { event: RefusedRecord; offset: string }

const startOf = (end: bigint, take: bigint) => (end > take ? end - take : 0n)

/** Takes the newest of the partitions' last records: clocks decide between partitions, and offsets within one. */
function takeNewest(found: Map<number, Found[]>): (Found & { partition: number }) | undefined {
  let newest: number | undefined
  const timeOf = (partition: number) => found.get(partition)?.at(-1)?.event.refused_at ?? ""
  for (const partition of found.keys()) {
    if (newest === undefined || timeOf(partition) > timeOf(newest)) newest = partition
  }
  const taken = newest === undefined ? undefined : found.get(newest)?.pop()
  return newest === undefined || !taken ? undefined : { ...taken, partition: newest }
}

function refusedEvent({ value, headers, appendedAt }: Incoming): RefusedRecord {
  const { reason, topic, partition, offset } = invalidRecordHeaders
  const fields = readFields(value)
  return {
    refused_at: new Date(appendedAt).toISOString(),
    reason: headers[reason] ?? "",
    event_id: sitePaidSchema.shape.id.safeParse(fields.id).data ?? null,
    channel: identifierSchema.safeParse(fields.channel).data ?? null,
    bytes: value?.byteLength ?? null,
    from: `${headers[topic]} ${headers[partition]} ${headers[offset]}`,
  }
}

/** What of the record can be named without showing whom it is about. */
function readFields(value: Uint8Array | null): { id?: unknown; channel?: unknown } {
  try {
    return z.looseObject({}).parse(JSON.parse(String(value)))
  } catch {
    return {}
  }
}
