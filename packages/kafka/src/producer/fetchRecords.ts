import type { KafkaMessage } from "kafkajs"
import type Broker from "kafkajs/src/broker/index.js"
import Batch from "kafkajs/src/consumer/batch.js"
import isolation from "kafkajs/src/protocol/isolationLevel.js"

export type FetchPosition = { partition: number; offset: bigint }

export type FetchOptions = {
  /** Of each partition. The first batch of a response may be larger. */
  maxBytes: number
  /** Also those of open transactions, and what follows them, which consumers do not get yet. */
  uncommitted: boolean
}

export type Fetched = {
  partition: number
  records: KafkaMessage[]
  /** The timestamp of the first record or marker of a transaction. Null: none was fetched. */
  firstAt: Date | null
  /** Where the next fetch continues: after the markers of transactions and records of aborted ones, too. */
  next: bigint
}

type FetchResponse = { responses: { partitions: { partition: number }[] }[] }

/** Returns at once with what the partitions have at these offsets and later ones. */
export async function fetchRecords(
  broker: Broker,
  topic: string,
  positions: readonly FetchPosition[],
  { maxBytes, uncommitted }: FetchOptions,
): Promise<Fetched[]> {
  const { READ_COMMITTED, READ_UNCOMMITTED } = isolation
  const response = (await broker.fetch({
    maxWaitTime: 100,
    minBytes: 1,
    isolationLevel: uncommitted ? READ_UNCOMMITTED : READ_COMMITTED,
    topics: [
      {
        topic,
        partitions: positions.map(({ partition, offset }) => ({
          partition,
          currentLeaderEpoch: -1,
          fetchOffset: String(offset),
          maxBytes,
        })),
      },
    ],
  })) as FetchResponse
  const offsets = new Map(positions.map(({ partition, offset }) => [partition, offset]))
  return response.responses
    .flatMap((each) => each.partitions)
    .map((fetched) => readFetched(topic, offsets.get(fetched.partition) ?? 0n, fetched))
}

function readFetched(topic: string, offset: bigint, fetched: { partition: number }): Fetched {
  const { messages, rawMessages } = new Batch(topic, String(offset), fetched)
  // A batch begins before the offset if that is in its middle.
  const first = rawMessages.find((each) => BigInt(each.offset) >= offset)
  const last = rawMessages.at(-1)?.batchContext
  const next = last ? BigInt(last.firstOffset) + BigInt(last.lastOffsetDelta) + 1n : offset
  return {
    partition: fetched.partition,
    records: messages,
    firstAt: first ? new Date(Number(first.timestamp)) : null,
    next: next > offset ? next : offset,
  }
}
