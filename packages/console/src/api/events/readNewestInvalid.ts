import { searchedInvalidEvents } from "@sitewire/contracts"
import type { ConsumerRecord, Offsets } from "@sitewire/kafka"
import { type InvalidTopic, readInBatches } from "../../kafka/topicReader.ts"
import { type InvalidRecord, invalidEventResponse } from "./invalidEventResponse.ts"

/**
 * `before` is the cursor of the page that follows this event. It maps each partition to an offset; all events
 * of that partition on later pages have lower offsets.
 */
export type InvalidEventRow = { event: InvalidRecord; before: Offsets }

/** `search`: the id, key or correlation of the events to return. */
export async function readNewestInvalid(
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
