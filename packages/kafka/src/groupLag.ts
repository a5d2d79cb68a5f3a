import { createClient, type KafkaConnection } from "./connect.ts"

/**
 * Records of these topics that the group has not committed, as the broker knows it, whether the group has members or
 * not. Where it has committed nothing, all that the partition holds counts. Rejects where the broker does not answer.
 */
export async function groupLag(kafka: KafkaConnection, group: string, topics: string[]): Promise<number> {
  const admin = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).admin()
  await admin.connect()
  try {
    let lag = 0n
    // One at a time: of several, kafkajs leaves out one whose partitions it has just not learnt, or forgotten again.
    for (const topic of topics) {
      const fetched = await admin.fetchOffsets({ groupId: group, topics: [topic] })
      const places = fetched.flatMap(({ partitions }) => partitions)
      const committed = new Map(places.map(({ partition, offset }) => [partition, BigInt(offset)]))
      for (const { partition, low, high } of await admin.fetchTopicOffsets(topic)) {
        const reached = committed.get(partition) ?? -1n
        lag += BigInt(high) - (reached < BigInt(low) ? BigInt(low) : reached)
      }
    }
    return Number(lag)
  } finally {
    await admin.disconnect()
  }
}
