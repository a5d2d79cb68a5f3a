import type { KafkaConnection } from "../client/connectKafka.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import type { Offsets } from "./readTopic.ts"
import { withAdmin } from "./withAdmin.ts"

const requestTimeoutMs = 5_000

/**
 * The offset of each partition's first record with a timestamp of at least `since` (milliseconds since the
 * epoch), or the partition's end if it has none.
 */
export function offsetsAt(options: {
  kafka: KafkaConnection
  topic: string
  since: number
}): Promise<Offsets> {
  const { kafka, topic, since } = options
  return withAdmin(kafka, requestTimeoutMs, async (admin) => {
    const offsets = await admin.fetchTopicOffsetsByTimestamp(topic, since)
    return Object.fromEntries(offsets.map(({ partition, offset }) => [String(partition), offset]))
  })
}

/** The offsets that the group has committed. Partitions without one are missing. */
export function committedOffsets(options: {
  kafka: KafkaConnection
  topic: string
  group: string
}): Promise<Offsets> {
  const { kafka, topic, group } = options
  return withAdmin(kafka, requestTimeoutMs, async (admin) => {
    const committed = [...(await fetchCommittedOffsets(admin, group, topic))]
    const known = committed.filter(([, offset]) => offset >= 0n)
    return Object.fromEntries(known.map(([partition, offset]) => [String(partition), String(offset)]))
  })
}
