import type { Topic } from "./topicCatalogue.ts"

/**
 * A topic's settings under Kafka's names. With two or more replicas, an acknowledged record is in all
 * replicas but one, so losing any one broker loses no record.
 */
export function topicConfig(topic: Topic, replication: number): Record<string, string> {
  return {
    "cleanup.policy": topic.cleanup,
    "retention.ms": String(topic.retentionMs),
    "message.timestamp.type": topic.timestamp,
    "segment.ms": String(topic.segmentMs),
    // Our client reads no compression but gzip. The broker stores other publishers' batches uncompressed.
    "compression.type": "uncompressed",
    "min.insync.replicas": String(Math.max(1, replication - 1)),
  }
}
