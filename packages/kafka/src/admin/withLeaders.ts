import type { KafkaConnection } from "../client/connectKafka.ts"
import { reasonOf } from "../client/log.ts"
import { type BrokerConnections, createBrokerConnections } from "../producer/brokerConnections.ts"
import type { OffsetRange } from "../producer/listOffsets.ts"

export type TopicRange = OffsetRange & { leader: number }

/**
 * Runs `work` with the topic's partitions and with connections to their leaders. `since`: see `listOffsets`. Rejects if the
 * topic does not exist, or if one of its partitions cannot be read.
 */
export async function withLeaders<T>(
  { kafka, topic, since }: { kafka: KafkaConnection; topic: string; since?: number },
  work: (connections: BrokerConnections, ranges: TopicRange[]) => Promise<T>,
): Promise<T> {
  const connections = createBrokerConnections(kafka, { requestTimeoutMs: 5_000, retries: 2 })
  try {
    await connections.connect()
    return await work(connections, await readRanges(connections, topic, since))
  } catch (cause) {
    throw new Error(
      `Topic ${topic} could not be read on ${kafka.brokers.join(", ")}: ${reasonOf(cause)}. ` +
        "Check that Kafka runs, and try again.",
      { cause },
    )
  } finally {
    await connections.disconnect().catch(() => {})
  }
}

async function readRanges(
  connections: BrokerConnections,
  topic: string,
  since?: number,
): Promise<TopicRange[]> {
  const metadata = await connections.readMetadata(topic)
  if ("error" in metadata) throw new Error(metadata.error.message)
  const read = [...Map.groupBy(metadata.leaders, ({ leader }) => leader)].map(async ([leader, led]) => {
    if (leader === null) throw new Error(`partition ${led[0]?.partition} has no leader`)
    const partitions = led.map(({ partition }) => partition)
    const { ranges, unreadable } = await connections.listOffsets(leader, topic, partitions, since)
    for (const { partition, why } of unreadable) throw new Error(`partition ${partition}: ${why}`)
    return ranges.map((range) => ({ ...range, leader }))
  })
  return (await Promise.all(read)).flat()
}
