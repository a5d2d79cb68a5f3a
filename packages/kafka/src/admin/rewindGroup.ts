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
    // kafkajs leaves out a partition that has just lost its leader.
    const after = await fetchCommittedOffsets(admin, group, topic)
    const missed = partitions.filter(({ partition, offset }) => after.get(partition) !== BigInt(offset))
    if (missed.length > 0) {
      const ids = missed.map(({ partition }) => partition).join(", ")
      throw new Error(`The group ${group} was not moved in the partitions ${ids} of ${topic}. Try again.`)
    }
  })
}
