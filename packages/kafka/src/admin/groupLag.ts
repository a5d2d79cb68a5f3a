import type { KafkaConnection } from "../client/connectKafka.ts"
import { quietLog } from "../client/log.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import { withAdmin } from "./withAdmin.ts"

export type Lag = { topic: string; partition: number; lag: number }

/**
 * Returns how many records of each partition the group has not committed; without a committed offset, all.
 * The group needs no members. Rejects if no broker responds.
 */
export function groupLag(kafka: KafkaConnection, group: string, topics: string[]): Promise<Lag[]> {
  return withAdmin({ ...kafka, log: quietLog(kafka.log) }, 10_000, async (admin) => {
    const lags: Lag[] = []
    for (const topic of topics) {
      const committed = await fetchCommittedOffsets(admin, group, topic)
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        const reached = committed.get(partition) ?? -1n
        const lag = BigInt(high) - (reached < BigInt(low) ? BigInt(low) : reached)
        lags.push({ topic, partition, lag: Number(lag) })
      }
    }
    return lags
  })
}
