/*
 * Defect of kafkajs 2.2.4: `consumer.commitOffsets` retries across a rejoin. The retry commits with the new generation offsets
 * of partitions that may by then belong to another member.
 * The payload of a batch offers a commit that is sent once, in the present generation.
 * Delete this file when `commitOffsets` fails in a rebalance, and call that.
 */
import type { EachBatchPayload } from "kafkajs"
import type { OffsetCommit } from "../../consumer/topicPartition.ts"

export function commitWithoutRetry(
  lastBatch: EachBatchPayload,
  commits: readonly OffsetCommit[],
): Promise<void> {
  const topics = Map.groupBy(commits, ({ topic }) => topic)
  return lastBatch.commitOffsetsIfNecessary({
    topics: [...topics].map(([topic, partitions]) => ({ topic, partitions })),
  })
}
