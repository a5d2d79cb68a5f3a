import type { KafkaConnection } from "../client/connectKafka.ts"
import type { BrokerConnections } from "../producer/brokerConnections.ts"
import type { Fetched } from "../producer/fetchRecords.ts"
import { type ConsumerRecord, readRecord } from "../record.ts"
import type { Offsets } from "./readOffsets.ts"
import { type TopicRange, withLeaders } from "./withLeaders.ts"

const fetchBytes = 1024 * 1024

type ReadTopicOptions = {
  kafka: KafkaConnection
  topic: string
  /** A partition that is missing here is read from its first record. */
  from: Offsets
  /** Offsets to stop before, from `topicEnd` or `offsetsAt`. A partition that is missing here is not read. */
  to: Offsets
  maxRecords: number
  maxBytes: number
}

/**
 * Reads at most `maxRecords` and about `maxBytes`. To continue, pass `next` as `from`. Records behind an open transaction, which
 * consumers do not get yet, are read too: `topicEnd` is before them. Rejects if a broker does not respond.
 */
export function readTopic(
  options: ReadTopicOptions,
): Promise<{ records: ConsumerRecord[]; next: Offsets; ended: boolean }> {
  const { topic, from, to, maxRecords, maxBytes } = options
  return withLeaders(options, async (connections, ranges) => {
    const next: Offsets = { ...from }
    const records: ConsumerRecord[] = []
    let bytes = 0
    let ended = true
    for (const range of ranges) {
      const { partition, low } = range
      if (to[partition] === undefined) continue
      const end = BigInt(to[partition])
      const requested = BigInt(from[partition] ?? low)
      // Retention may have deleted the records at the requested offset.
      let position = requested < low ? low : requested
      while (position < end && records.length < maxRecords && bytes < maxBytes) {
        const fetched = await fetchNext(connections, topic, range, position)
        const wanted = fetched.records.filter(({ offset }) => BigInt(offset) < end)
        const read = wanted.slice(0, maxRecords - records.length)
        records.push(...read.map((message) => readRecord(topic, partition, message)))
        for (const { value } of read) bytes += value?.byteLength ?? 0
        const firstUnread = wanted[read.length]
        // Nothing was fetched: the records up to the end are deleted.
        const reached = fetched.next > position ? fetched.next : end
        position = firstUnread ? BigInt(firstUnread.offset) : reached
      }
      next[partition] = String(position < end ? position : end)
      ended &&= position >= end
    }
    return { records, next, ended }
  })
}

/** Fetches uncommitted records only where no committed ones follow. `next` equals `position` if nothing follows at all. */
async function fetchNext(
  connections: BrokerConnections,
  topic: string,
  { leader, partition }: TopicRange,
  position: bigint,
): Promise<Fetched> {
  const nothing = { partition, records: [], firstAt: null, next: position }
  const fetch = async (uncommitted: boolean) => {
    const options = { maxBytes: fetchBytes, uncommitted }
    const [fetched] = await connections.fetchRecords(
      leader,
      topic,
      [{ partition, offset: position }],
      options,
    )
    return fetched ?? nothing
  }
  const committed = await fetch(false)
  return committed.next > position ? committed : fetch(true)
}
