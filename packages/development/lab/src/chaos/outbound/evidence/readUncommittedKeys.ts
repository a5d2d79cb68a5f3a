import { groupLag, type KafkaConnection, readTopic, topicEnd } from "@sitewire/kafka"

/** No member of the group may run meanwhile, because it would commit more. */
export async function readUncommittedKeys(
  kafka: KafkaConnection,
  group: string,
  topics: readonly string[],
): Promise<string[]> {
  const keys: string[] = []
  for (const topic of topics) {
    const to = await topicEnd({ kafka, topic })
    const lags = await groupLag(kafka, group, [topic])
    const reached = lags.map(({ partition, lag }) => [
      partition,
      String(BigInt(to[partition] ?? 0) - BigInt(lag)),
    ])
    for (let from = Object.fromEntries(reached), ended = false; !ended; ) {
      const piece = await readTopic({
        ...{ kafka, topic, groupPrefix: "chaos", from, to },
        ...{ maxRecords: 10_000, maxBytes: 64 * 1024 * 1024 },
      })
      keys.push(...piece.records.flatMap(({ key }) => key ?? []))
      from = piece.next
      ended = piece.ended
    }
  }
  return keys
}
