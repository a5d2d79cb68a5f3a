/*
 * Defect of kafkajs 2.2.4: `consumer.commitOffsets` goes on retrying after its group was rejoined.
 * Effect: it commits offsets of partitions that by then belong to another member.
 * The commit in a batch's payload, used here, has no retries.
 * Delete this file when `commitOffsets` rejects in a rebalance, and call that.
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
