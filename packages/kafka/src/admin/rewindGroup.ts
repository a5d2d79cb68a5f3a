import type { KafkaConnection } from "../client/connectKafka.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import { withAdmin } from "./withAdmin.ts"

/**
 * Moves a group back, and never forward, to the first records with a timestamp of at least `since`
 * (milliseconds since the epoch). The group must have no members. Takes about 5 s, because kafkajs joins the
 * group.
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
