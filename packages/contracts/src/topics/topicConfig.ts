import type { Topic } from "./topicCatalogue.ts"

/**
 * A topic's settings under Kafka's names. `min.insync.replicas` is one less than the number of replicas, so
 * an acknowledged record is missing in at most one replica. With three or more replicas, the loss of one
 * broker therefore loses no record.
 */
export function topicConfig(
  topic: Topic,
  replication: number,
  /** Settings of the installation, such as of a broker that forbids some. "": the broker decides. */
  own: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const config = {
    "cleanup.policy": topic.cleanup,
    ...(topic.cleanup === "compact"
      ? { "delete.retention.ms": String(topic.retentionMs) }
      : { "retention.ms": String(topic.retentionMs) }),
    "message.timestamp.type": topic.timestamp,
    "segment.ms": String(topic.segmentMs),
    // The broker decompresses batches that other publishers compressed, because our client cannot decompress
    // snappy and lz4.
    "compression.type": "uncompressed",
    "min.insync.replicas": String(Math.max(1, replication - 1)),
    ...own,
  }
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== ""))
}
