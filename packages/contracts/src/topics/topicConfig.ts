import type { Topic } from "./topicCatalogue.ts"

/**
 * A topic's settings under Kafka's names. An acknowledged record is in all replicas but one, or in all. With
 * three or more replicas, the loss of one broker therefore loses no record.
 */
export function topicConfig(topic: Topic, replication: number): Record<string, string> {
  return {
    "cleanup.policy": topic.cleanup,
    "retention.ms": String(topic.retentionMs),
    "message.timestamp.type": topic.timestamp,
    "segment.ms": String(topic.segmentMs),
    // The broker decompresses the batches of other publishers, because our client reads no compression but
    // gzip.
    "compression.type": "uncompressed",
    "min.insync.replicas": String(Math.max(1, replication - 1)),
  }
}
