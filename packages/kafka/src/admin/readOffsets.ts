import type { KafkaConnection } from "../client/connectKafka.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import { withAdmin } from "./withAdmin.ts"
import { type TopicRange, withLeaders } from "./withLeaders.ts"

/** Offsets by partition. They are strings, because numbers are exact only up to 2^53. */
export type Offsets = Record<string, string>

type Of = { kafka: KafkaConnection; topic: string }

/** Where consumers stop: the end of each partition, or the beginning of its oldest open transaction. */
export function topicEnd(of: Of): Promise<Offsets> {
  return withLeaders(of, async (_, ranges) => offsetsOf(ranges, "stable"))
}

/**
 * The offset of each partition's first record with a timestamp of at least `since` (milliseconds since the
 * epoch), or the partition's end if it has none. Uncommitted records count.
 */
export function offsetsAt(of: Of & { since: number }): Promise<Offsets> {
  return withLeaders(of, async (_, ranges) => offsetsOf(ranges, "low"))
}

function offsetsOf(ranges: readonly TopicRange[], field: "low" | "stable"): Offsets {
  return Object.fromEntries(ranges.map((range) => [String(range.partition), String(range[field])]))
}

/** The offsets that the group has committed. Partitions without one are missing. */
export function committedOffsets({ kafka, topic, group }: Of & { group: string }): Promise<Offsets> {
  return withAdmin(kafka, 5_000, async (admin) => {
    const committed = [...(await fetchCommittedOffsets(admin, group, topic))]
    const known = committed.filter(([, offset]) => offset >= 0n)
    return Object.fromEntries(known.map(([partition, offset]) => [String(partition), String(offset)]))
  })
}
