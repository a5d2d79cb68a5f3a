import type { KafkaConnection } from "../client/connectKafka.ts"
import { withAdmin } from "./withAdmin.ts"

/**
 * Sets the group's position in each partition of the topic back to the first record with this timestamp or a later one (milliseconds
 * since the epoch). A partition where the group is further behind stays where it is. The group must have no members. Does what
 * Kafka's own `kafka-consumer-groups --reset-offsets` does with the smaller one of `--to-datetime` and `--to-current`. Takes some 5 s:
 * kafkajs joins the group for it.
 */
export function rewindGroup(options: {
  kafka: KafkaConnection
  group: string
  topic: string
  since: number
}): Promise<void> {
  const { kafka, group, topic, since } = options
  return withAdmin(kafka, 10_000, async (admin) => {
    const committed = new Map<number, bigint>()
    for (const { partitions } of await admin.fetchOffsets({ groupId: group, topics: [topic] }))
      for (const { partition, offset } of partitions)
        if (BigInt(offset) >= 0n) committed.set(partition, BigInt(offset))
    const partitions = (await admin.fetchTopicOffsetsByTimestamp(topic, since)).map(
      ({ partition, offset }) => {
        const reached = committed.get(partition) ?? BigInt(offset)
        return { partition, offset: String(reached < BigInt(offset) ? reached : offset) }
      },
    )
    await admin.setOffsets({ groupId: group, topic, partitions })
  })
}
