import { randomBytes } from "node:crypto"
import { topicCatalogue, topicConfig, topicNames } from "@sitewire/contracts"
import { connectKafka, ensureTopics, type KafkaConnection } from "@sitewire/kafka"
import { silentLog } from "@sitewire/testkit/installation"
import { kafkaBrokers } from "./freshDatabase.ts"
import { retryFixture } from "./retryFixture.ts"

/** All topics of an installation under a new prefix, in the tests' Kafka. */
export async function freshTopics({
  retryDelaysMs = [200, 400],
}: {
  retryDelaysMs?: readonly number[]
} = {}) {
  const prefix = `test-${randomBytes(5).toString("hex")}.`
  const kafka: KafkaConnection = connectKafka({
    brokers: kafkaBrokers(),
    clientId: "testkit",
    log: silentLog,
  })
  const catalogue = topicCatalogue({ prefix, retryDelaysMs, retryPeriodMs: 3_600_000 })
  const topics = catalogue.map((topic) => ({
    name: topic.name,
    partitions: Math.min(topic.partitions, 2),
    config: topicConfig(topic, 1),
  }))
  await retryFixture(() => ensureTopics({ kafka, topics }))
  return { prefix, kafka, names: topicNames({ prefix, retryDelaysMs }) }
}
