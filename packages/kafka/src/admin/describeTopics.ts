import kafkajs from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { quietLog } from "../client/log.ts"
import { missingTopics } from "./requireTopics.ts"
import { withAdmin } from "./withAdmin.ts"

type TopicDescription = { partitions: number; replicas: number; config: ReadonlyMap<string, string> }

/** The topics that exist, by name, with their effective settings. */
export function describeTopics(
  kafka: KafkaConnection,
  names: readonly string[],
): Promise<Map<string, TopicDescription>> {
  return withAdmin({ ...kafka, log: quietLog(kafka.log) }, 10_000, async (admin) => {
    const missing = await missingTopics(
      admin,
      names.map((name) => ({ name })),
    )
    const present = names.filter((name) => !missing.some((topic) => topic.name === name))
    if (present.length === 0) return new Map()
    const { topics } = await admin.fetchTopicMetadata({ topics: present })
    const { resources } = await admin.describeConfigs({
      includeSynonyms: false,
      resources: present.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
    })
    return new Map(
      topics.map(({ name, partitions }) => {
        const entries = resources.find(({ resourceName }) => resourceName === name)?.configEntries ?? []
        const config = new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
        return [
          name,
          { partitions: partitions.length, replicas: partitions[0]?.replicas.length ?? 0, config },
        ]
      }),
    )
  })
}
