import type { KafkaConnection } from "../client/connectKafka.ts"
import { quietLog } from "../client/log.ts"
import { withAdmin } from "./withAdmin.ts"

/** Records of a partition that its group has not committed. */
export type Lag = { topic: string; partition: number; lag: number }

/**
 * How far the group is behind in each partition of these topics, as the broker knows it, whether the group has members or
 * not. Where it has committed nothing, all that the partition holds counts. Rejects where the broker does not answer.
 */
export function groupLag(kafka: KafkaConnection, group: string, topics: string[]): Promise<Lag[]> {
  return withAdmin({ ...kafka, log: quietLog(kafka.log) }, 10_000, async (admin) => {
    const lags: Lag[] = []
    // One at a time: of several, kafkajs leaves out one whose partitions it has just not learnt, or forgotten again.
    for (const topic of topics) {
      const fetched = await admin.fetchOffsets({ groupId: group, topics: [topic] })
      const places = fetched.flatMap(({ partitions }) => partitions)
      const committed = new Map(places.map(({ partition, offset }) => [partition, BigInt(offset)]))
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        const reached = committed.get(partition) ?? -1n
        const lag = BigInt(high) - (reached < BigInt(low) ? BigInt(low) : reached)
        lags.push({ topic, partition, lag: Number(lag) })
      }
    }
    return lags
  })
}
