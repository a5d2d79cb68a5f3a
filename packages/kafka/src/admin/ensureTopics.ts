import kafkajs, { type Admin } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { withPresentSettings } from "../client/workarounds/alterConfigsReplacesAll.ts"
import { createTopics } from "./createTopics.ts"
import { missingTopics } from "./requireTopics.ts"
import type { TopicSpec } from "./topicSpec.ts"

export type EnsuredTopics = { created: string[]; changed: string[]; existing: string[] }

/**
 * Creates missing topics, adds partitions, which moves keys to other partitions, and changes settings. May
 * run several times at once. Rejects if the broker rejects a topic, for example because of an unknown
 * setting.
 */
export async function ensureTopics(options: {
  kafka: KafkaConnection
  topics: TopicSpec[]
  /** Applies to new topics. Default: the broker's `default.replication.factor`. */
  replicationFactor?: number
}): Promise<EnsuredTopics> {
  const { kafka, topics, replicationFactor = -1 } = options
  const admin = createClient(kafka, { requestTimeoutMs: 30_000, retries: 5 }).admin()
  await admin.connect()
  try {
    const missing = await missingTopics(admin, topics)
    const created = new Set(await createTopics(admin, missing, replicationFactor))
    const present = topics.filter(({ name }) => !created.has(name))
    const grown = await addPartitions(admin, present)
    const configured = await changeConfigs(admin, present)
    const changed = (name: string) => grown.has(name) || configured.has(name)
    return {
      created: [...created],
      changed: present.map(({ name }) => name).filter(changed),
      existing: present.map(({ name }) => name).filter((name) => !changed(name)),
    }
  } finally {
    await admin.disconnect()
  }
}

async function addPartitions(admin: Admin, topics: TopicSpec[]): Promise<Set<string>> {
  if (topics.length === 0) return new Set()
  const metadata = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => name) })
  const counts = new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]))
  const tooSmall = topics.filter(({ name, partitions }) => (counts.get(name) ?? partitions) < partitions)
  if (tooSmall.length > 0) {
    await admin.createPartitions({
      topicPartitions: tooSmall.map(({ name, partitions }) => ({ topic: name, count: partitions })),
    })
  }
  return new Set(tooSmall.map(({ name }) => name))
}

async function changeConfigs(admin: Admin, topics: TopicSpec[]): Promise<Set<string>> {
  if (topics.length === 0) return new Set()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ name }) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  })
  const different = topics.flatMap(({ name, config }) => {
    const entries = resources.find((resource) => resource.resourceName === name)?.configEntries ?? []
    const effective = new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
    if (Object.entries(config).every(([key, value]) => effective.get(key) === value)) return []
    return [{ name, config: withPresentSettings(entries, config) }]
  })
  if (different.length > 0) {
    await admin.alterConfigs({
      validateOnly: false,
      resources: different.map(({ name, config }) => ({
        type: kafkajs.ConfigResourceTypes.TOPIC,
        name,
        configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
      })),
    })
  }
  return new Set(different.map(({ name }) => name))
}
