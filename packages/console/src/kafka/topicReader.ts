import type { BlockedPartition } from "@sitewire/contracts"
import {
  type ConsumerRecord,
  committedOffsets,
  type KafkaConnection,
  type Offsets,
  offsetsAt,
  readBacklog,
  readTopic,
  topicEnd,
} from "@sitewire/kafka"
import { unavailable } from "./publisher.ts"
import { openTransactionOf } from "./topicStatus.ts"

/** Large, because each read opens connections. */
const batchLimits = { maxRecords: 20_000, maxBytes: 16 * 1024 * 1024 }

/** Reads a topic. If one of the functions fails, it rejects with `KafkaUnavailable`. */
export type TopicReader = {
  topic: string
  end(): Promise<Offsets>
  /** A batch of the range, with at most this many records. */
  read(range: { from: Offsets; to: Offsets; maxRecords?: number }): ReturnType<typeof readTopic>
  /** The offsets of the first records with this timestamp (milliseconds since the epoch) or a later one. */
  offsetsAt(since: number): Promise<Offsets>
  /** A partition for which the group has committed no offset is missing. */
  committed(group: string): Promise<Offsets>
  openTransactions(): Promise<BlockedPartition[]>
}

/** Reads site.paid.invalid. */
export type InvalidTopic = Pick<TopicReader, "end" | "read">

export function topicReaderOn(settings: { kafka: KafkaConnection; topic: string }): TopicReader {
  const { kafka, topic } = settings
  return {
    topic,
    end: () => topicEnd({ kafka, topic }).catch(unavailable),
    read: (range) => readTopic({ ...settings, ...batchLimits, ...range }).catch(unavailable),
    offsetsAt: (since) => offsetsAt({ kafka, topic, since }).catch(unavailable),
    committed: (group) => committedOffsets({ kafka, topic, group }).catch(unavailable),
    openTransactions: () => openTransactionsIn(kafka, topic).catch(unavailable),
  }
}

async function openTransactionsIn(kafka: KafkaConnection, topic: string): Promise<BlockedPartition[]> {
  const [backlog] = await readBacklog(kafka, [{ topic, group: null }], 10_000)
  return (backlog?.partitions ?? []).flatMap(({ partition, openTransaction }) =>
    openTransaction ? [{ topic, partition, ...openTransactionOf(openTransaction) }] : [],
  )
}

/** Yields a range of site.paid.invalid in batches, so that only one batch is in memory. */
export async function* readInBatches(invalidTopic: InvalidTopic, from: Offsets, to: Offsets) {
  for (let next = from, ended = false; !ended; ) {
    const batch = await invalidTopic.read({ from: next, to })
    yield batch
    ended = batch.ended
    next = batch.next
  }
}

/** The first `count` records of a batch, and the offsets after them. */
export function cutAt(batch: { records: ConsumerRecord[]; next: Offsets }, count: number) {
  const next = { ...batch.next }
  // In reverse order, so that each partition ends up with the offset of its first record after the cut.
  for (const { partition, offset } of batch.records.slice(count).toReversed()) next[partition] = offset
  return { records: batch.records.slice(0, count), next }
}
