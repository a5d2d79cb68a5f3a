import type { KafkaConnection } from "../client/connectKafka.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import { withAdmin } from "./withAdmin.ts"

/**
 * Moves the group back to the first record of each partition with a timestamp of at least `since` (milliseconds since the
 * epoch), and never forward: the smaller of `--to-datetime` and `--to-current` of Kafka's `kafka-consumer-groups
 * --reset-offsets`. The group must have no members. Takes about 5 s, because kafkajs joins the group for it.
 */
export function rewindGroup(options: {
  kafka: KafkaConnection
  group: string
  topic: string
  since: number
}): Promise<void> {
  const { kafka, group, topic, since } = options
  return withAdmin(kafka, 10_000, async (admin) => {
    const committed = await fetchCommittedOffsets(admin, group, topic)
    const partitions = (await admin.fetchTopicOffsetsByTimestamp(topic, since)).map(
      ({ partition, offset }) => {
        const position = committed.get(partition) ?? -1n
        const isBehind = position >= 0n && position < BigInt(offset)
        return { partition, offset: isBehind ? String(position) : offset }
      },
    )
    await admin.setOffsets({ groupId: group, topic, partitions })
  })
}
