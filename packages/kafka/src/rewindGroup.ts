import type { KafkaConnection } from "./connect.ts"
import { withAdmin } from "./withAdmin.ts"

/**
 * Sets the group's position in each partition of the topic to the first record with this timestamp or a later one
 * (milliseconds since the epoch), or to the end. The group must have no members. Does what Kafka's own
 * `kafka-consumer-groups --reset-offsets --to-datetime` does. Takes some 5 s: kafkajs joins the group for it.
 */
export function rewindGroup(options: {
  kafka: KafkaConnection
  group: string
  topic: string
  since: number
}): Promise<void> {
  const { kafka, group, topic, since } = options
  return withAdmin(kafka, 10_000, async (admin) => {
    const partitions = await admin.fetchTopicOffsetsByTimestamp(topic, since)
    await admin.setOffsets({ groupId: group, topic, partitions })
  })
}
