import { isUtf8 } from "node:buffer"
import {
  type InvalidEvent,
  identifierSchema,
  invalidRecordHeaders,
  parseJson,
  readCorrelation,
  searchedInvalidEvents,
  sitePaidSchema,
} from "@sitewire/contracts"
import type { ConsumerRecord, Offsets } from "@sitewire/kafka"
import { z } from "zod"
import { type InvalidTopic, readInBatches } from "../kafka/topicReader.ts"
import { type ApiContext, implement } from "./implement.ts"
import { listPage } from "./pagination.ts"

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

/**
 * `before` is the cursor of the page that follows this event. It maps each partition to an offset; all events
 * of that partition on later pages have lower offsets.
 */
type InvalidEventRow = { event: InvalidRecord; before: Offsets }

/** `search`: the id, key or correlation of the events to return. */
async function readNewestInvalid(
  invalidTopic: InvalidTopic,
  to: Offsets,
  count: number,
  search?: string,
): Promise<InvalidEventRow[]> {
  // The newest `count` events are among the last `count` of each partition.
  const read = BigInt(search === undefined ? count : searchedInvalidEvents)
  const from = Object.fromEntries(
    Object.entries(to).map(([partition, end]) => [partition, String(startOf(BigInt(end), read))]),
  )
  const found = new Map<number, Found[]>()
  for await (const { records } of readInBatches(invalidTopic, from, to)) {
    for (const record of records) {
      const event = invalidEventResponse(record)
      if (search !== undefined && ![event.event_id, event.key, event.correlation].includes(search)) continue
      const entry = { event, offset: record.offset }
      const entries = found.get(record.partition)
      if (entries) entries.push(entry)
      else found.set(record.partition, [entry])
    }
  }
  const newest: InvalidEventRow[] = []
  for (let before = to; newest.length < count; ) {
    const next = popNewest(found)
    if (!next) break
    before = { ...before, [next.partition]: next.offset }
    newest.push({ event: next.event, before })
  }
  return newest
}

type Found = Pick<ConsumerRecord, "offset"> & { event: InvalidRecord }

const startOf = (end: bigint, count: bigint) => (end > count ? end - count : 0n)

function popNewest(found: Map<number, Found[]>): (Found & { partition: number }) | undefined {
  let newest: number | undefined
  const timeOf = (partition: number) => found.get(partition)?.at(-1)?.event.rejected_at ?? ""
  for (const partition of found.keys()) {
    if (newest === undefined || timeOf(partition) > timeOf(newest)) newest = partition
  }
  const popped = newest === undefined ? undefined : found.get(newest)?.pop()
  return newest === undefined || !popped ? undefined : { ...popped, partition: newest }
}

type InvalidRecord = Omit<InvalidEvent, "delivery">

export function invalidEventResponse(record: ConsumerRecord): InvalidRecord {
  const { value, headers, appendedAt, key, original } = record
  const { reason, topic, partition, offset } = invalidRecordHeaders
  const fields = parseFields(value)
  return {
    rejected_at: new Date(appendedAt).toISOString(),
    reason: headers[reason] ?? "",
    event_id: readId(typeof fields.id === "number" ? String(fields.id) : fields.id),
    key: isUtf8(original.key ?? Buffer.alloc(0)) ? readId(key) : null,
    correlation: readCorrelation(record),
    channel: identifierSchema.safeParse(fields.channel).data ?? null,
    bytes: value?.byteLength ?? null,
    from: `${headers[topic]} ${headers[partition]} ${headers[offset]}`,
  }
}

function readId(id: unknown): string | null {
  return sitePaidSchema.shape.id.safeParse(id).data ?? null
}

/** Reads the id and the channel, which are not personal data. Empty if the value is not a JSON object. */
function parseFields(value: Uint8Array | null): { id?: unknown; channel?: unknown } {
  return z.looseObject({}).safeParse(parseJson(String(value))).data ?? {}
}
