import type { KafkaConnection } from "../client/connectKafka.ts"
import { describeTopics } from "./describeTopics.ts"

/** `configFor` returns the settings of a topic with so many copies. */
export type WantedTopic = {
  name: string
  partitions: number
  configFor: (replicas: number) => Record<string, string>
}

export type TopicFault = { topic: string; isMissing: boolean; faults: string }

/** What the broker's topics lack or have otherwise: one line for each topic with a fault. */
export async function findTopicFaults(
  kafka: KafkaConnection,
  wanted: readonly WantedTopic[],
): Promise<TopicFault[]> {
  const found = await describeTopics(
    kafka,
    wanted.map(({ name }) => name),
  )
  return wanted.flatMap<TopicFault>(({ name: topic, partitions, configFor }) => {
    const described = found.get(topic)
    if (!described) return [{ topic, isMissing: true, faults: "is missing" }]
    const few =
      described.partitions < partitions ? [`${described.partitions} instead of ${partitions} partitions`] : []
    const different = Object.entries(configFor(described.replicas)).flatMap(([name, value]) => {
      const is = described.config.get(name)
      return is === value ? [] : [`${name} is ${is} instead of ${value}`]
    })
    const faults = [...few, ...different]
    return faults.length > 0 ? [{ topic, isMissing: false, faults: faults.join(", ") }] : []
  })
}
