import { setTimeout as sleep } from "node:timers/promises"
import kafkajs, { type Admin } from "kafkajs"
import { createClient, type KafkaConnection } from "../client/connectKafka.ts"
import { hasTopic } from "../client/workarounds/listTopicsNeedsAllLeaders.ts"
import { reasonOf } from "../client/log.ts"
import { isProtocolError } from "../client/isProtocolError.ts"

/** `config` holds the broker's own names, as `cleanup.policy`; what it does not name is left as it is. */
export type TopicSpec = { name: string; partitions: number; config: Record<string, string> }

/** Topic names. `changed` got more partitions or another configuration; `existing` were as they should be. */
export type EnsuredTopics = { created: string[]; changed: string[]; existing: string[] }

/** What `describeConfigs` calls a setting made on the topic itself. */
const setOnTopic = 1

const leadersWithinMs = 30_000

/**
 * Makes the topics what they should be; may run at any time and several times at once. Partitions are only ever
 * added, which moves keys to other partitions. Rejects when the broker refuses, as for an unknown setting.
 */
export async function ensureTopics(options: {
  kafka: KafkaConnection
  topics: TopicSpec[]
  /** Of the topics that are created; by default the broker's own (`default.replication.factor`). */
  replicationFactor?: number
}): Promise<EnsuredTopics> {
  const { kafka, topics, replicationFactor = -1 } = options
  const admin = createClient(kafka, { requestTimeoutMs: 30_000, retries: 5 }).admin()
  await admin.connect()
  try {
    const missing = await lacking(admin, topics)
    const created = new Set(await createTopics(admin, missing, replicationFactor))
    const present = topics.filter(({ name }) => !created.has(name))
    const grown = await addPartitions(admin, present)
    const configured = await replaceConfigs(admin, present)
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

/** Rejects where the cluster lacks one of the topics, and names those. For a start: a missing topic is a missing setup. */
export async function requireTopics(kafka: KafkaConnection, names: readonly string[]): Promise<void> {
  const admin = createClient(kafka, { requestTimeoutMs: 10_000, retries: 1 }).admin()
  await admin.connect()
  try {
    const topics = names.map((name) => ({ name }))
    const missing = (await lacking(admin, topics)).map(({ name }) => name)
    if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")}`)
  } finally {
    await admin.disconnect()
  }
}

/** Those that the cluster does not have, in the order given. */
async function lacking<T extends { name: string }>(admin: Admin, topics: readonly T[]): Promise<T[]> {
  const missing: T[] = []
  for (const topic of topics) if (!(await hasTopic(admin, topic.name))) missing.push(topic)
  return missing
}

async function createTopics(admin: Admin, topics: TopicSpec[], replicationFactor: number): Promise<string[]> {
  const created: string[] = []
  // One by one: of a batch in which another process was faster with one topic, kafkajs says only "false".
  for (const { name, partitions, config } of topics) {
    const creating = admin.createTopics({
      waitForLeaders: true,
      topics: [
        {
          topic: name,
          numPartitions: partitions,
          replicationFactor,
          configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
        },
      ],
    })
    const isNew = await creating.catch((error: unknown) => {
      // kafkajs gives up at once where the broker has created the topic and does not know it yet.
      if (isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")) return true
      throw new Error(`Topic ${name} could not be created: ${reasonsOf(error)}.`, { cause: error })
    })
    if (!isNew) continue
    await waitForLeaders(admin, name, partitions)
    created.push(name)
  }
  return created
}

/** A new topic can be written and read a moment after its creation: when its metadata has come round. */
async function waitForLeaders(admin: Admin, topic: string, count: number): Promise<void> {
  for (const until = Date.now() + leadersWithinMs; ; await sleep(50)) {
    try {
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
      const leaders = topics.flatMap(({ partitions }) => partitions.filter(({ leader }) => leader >= 0))
      if (leaders.length >= count) return
      if (Date.now() > until) throw new Error("a partition has no leader")
    } catch (error) {
      if (Date.now() > until)
        throw new Error(
          `Topic ${topic} was created and cannot be used after ${leadersWithinMs} ms: ${reasonOf(error)}.`,
          { cause: error },
        )
    }
  }
}

/** kafkajs says only "Topic creation errors" and keeps the broker's reasons inside. */
function reasonsOf(error: unknown): string {
  if (!(error instanceof kafkajs.KafkaJSAggregateError)) return reasonOf(error)
  return error.errors.map(reasonOf).join("; ")
}

async function addPartitions(admin: Admin, topics: TopicSpec[]): Promise<Set<string>> {
  if (topics.length === 0) return new Set()
  const metadata = await admin.fetchTopicMetadata({ topics: topics.map(({ name }) => name) })
  const counts = new Map(metadata.topics.map(({ name, partitions }) => [name, partitions.length]))
  const small = topics.filter(({ name, partitions }) => (counts.get(name) ?? partitions) < partitions)
  if (small.length > 0) {
    await admin.createPartitions({
      topicPartitions: small.map(({ name, partitions }) => ({ topic: name, count: partitions })),
    })
  }
  return new Set(small.map(({ name }) => name))
}

/**
 * kafkajs only knows the request that replaces all of a topic's settings, so those that somebody else has made
 * are read and sent along.
 */
async function replaceConfigs(admin: Admin, topics: TopicSpec[]): Promise<Set<string>> {
  if (topics.length === 0) return new Set()
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map(({ name }) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  })
  const different = topics.flatMap(({ name, config }) => {
    const entries = resources.find((resource) => resource.resourceName === name)?.configEntries ?? []
    const effective = new Map(entries.map(({ configName, configValue }) => [configName, configValue]))
    if (Object.entries(config).every(([key, value]) => effective.get(key) === value)) return []
    const own = entries.filter(({ configSource }) => Number(configSource) === setOnTopic)
    const kept = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]))
    return [{ name, config: { ...kept, ...config } }]
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
