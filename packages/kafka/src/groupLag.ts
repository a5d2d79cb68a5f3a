import { createClient, type KafkaConnection } from "./connect.ts"

/**
 * Records of these topics that the group has not committed, as the broker knows it, whether the group has members or
 * not. Where it has committed nothing, all that the partition holds counts. Rejects where the broker does not answer.
 */
export async function groupLag(kafka: KafkaConnection, group: string, topics: string[]): Promise<number> {
  const admin = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).admin()
  await admin.connect()
  try {
    const committed = new Map<string, bigint>()
    for (const { topic, partitions } of await admin.fetchOffsets({ groupId: group, topics }))
      for (const { partition, offset } of partitions) committed.set(`${topic}/${partition}`, BigInt(offset))
    let lag = 0n
    for (const topic of topics) {
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        const reached = committed.get(`${topic}/${partition}`) ?? -1n
        lag += BigInt(high) - (reached < BigInt(low) ? BigInt(low) : reached)
      }
    }
    return Number(lag)
  } finally {
    await admin.disconnect()
  }
}
