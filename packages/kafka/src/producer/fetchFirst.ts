import type Broker from "kafkajs/src/broker/index.js"

export type FirstRecord = { partition: number; timestamp: Date }

type FetchResponse = {
  responses: {
    partitions: { partition: number; messages: { offset: string; timestamp: string }[] }[]
  }[]
}

/** The first record of each partition at its offset or later. A partition is missing if it has none. */
export async function fetchFirst(
  broker: Broker,
  topic: string,
  partitions: { partition: number; offset: bigint }[],
): Promise<FirstRecord[]> {
  const response = (await broker.fetch({
    maxWaitTime: 100,
    minBytes: 1,
    topics: [
      {
        topic,
        partitions: partitions.map(({ partition, offset }) => ({
          partition,
          currentLeaderEpoch: -1,
          fetchOffset: String(offset),
          // The broker returns at least one batch of the first partition that has one.
          maxBytes: 64 * 1024,
        })),
      },
    ],
  })) as FetchResponse
  const wanted = new Map(partitions.map(({ partition, offset }) => [partition, offset]))
  return response.responses
    .flatMap((each) => each.partitions)
    .flatMap(({ partition, messages }) => {
      // A batch begins before the offset if that is in its middle.
      const first = messages.find(({ offset }) => BigInt(offset) >= (wanted.get(partition) ?? 0n))
      return first ? [{ partition, timestamp: new Date(Number(first.timestamp)) }] : []
    })
}
