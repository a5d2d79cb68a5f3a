import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import { ensureTopics, findTopicFaults, type KafkaConnection } from "@sitewire/kafka"
import type { Logger } from "@sitewire/runtime"

export type TopicSettings = {
  topicPrefix: string
  /** False: others make the topics, so they are only compared. Default: true. */
  manageTopics?: boolean
  /** See `topicConfig`. */
  topicSettings?: Readonly<Record<string, string>>
  replication: number
  retryDelaysMs: readonly number[]
  retryPeriodMs: number
}

/** Topics that others make are only compared: a missing one is an error, and other differences are warnings. */
export async function prepareTopics(
  kafka: KafkaConnection,
  { topicPrefix: prefix, manageTopics = true, topicSettings, replication, ...retries }: TopicSettings,
  log: Logger,
): Promise<void> {
  const topics = topicCatalogue({ prefix, ...retries }).map((topic) => ({
    name: topic.name,
    partitions: topic.partitions,
    configFor: (replicas: number) => topicConfig(topic, replicas, topicSettings),
  }))
  if (!manageTopics) return compareTopics()
  const { created, changed, existing } = await ensureTopics({
    kafka,
    replicationFactor: replication,
    topics: topics.map(({ configFor, ...topic }) => ({ ...topic, config: configFor(replication) })),
  }).catch((error: unknown) => {
    if (!(error instanceof Error) || !/replication.factor/i.test(error.message)) throw error
    const remedy = `Set TOPIC_REPLICATION, which is ${replication}, to the number of brokers at most.`
    throw new Error(`${error.message} ${remedy}`, { cause: error })
  })
  log.info({ created, changed, existing }, "all topics exist")

  async function compareTopics(): Promise<void> {
    const faults = await findTopicFaults(kafka, topics)
    const missing = new Set(faults.filter(({ isMissing }) => isMissing).map(({ topic }) => topic))
    if (missing.size > 0) {
      const wanted = topics.filter(({ name }) => missing.has(name))
      const lines = wanted.map(({ name, partitions, configFor }) => {
        const settings = Object.entries(configFor(replication)).map((pair) => pair.join("="))
        return `${name}: ${partitions} partitions, ${settings.join(", ")}`
      })
      throw new Error(
        `MANAGE_TOPICS is false, and these topics are missing. Create them, or set MANAGE_TOPICS=true:\n${lines.join("\n")}`,
      )
    }
    for (const { topic, faults: differences } of faults)
      log.warn({ topic, differences }, "a topic that others manage differs from what Sitewire expects")
    log.info({ existing: topics.map(({ name }) => name) }, "all topics exist")
  }
}
