import { randomBytes } from "node:crypto"
import { topicCatalogue, topicConfig, topicNames } from "@sitewire/contracts"
import { connectKafka, ensureTopics } from "@sitewire/kafka"
import { silentLog } from "@sitewire/testkit/installation"
import { kafkaBrokers } from "./freshDatabase.ts"
import { retryFixture } from "./retryFixture.ts"

/** Shorter than in production, so that a test sees the last retry. */
export const testRetryDelaysMs: readonly number[] = [200, 400]

/** All topics of an installation under a new prefix, in the tests' Kafka. */
export async function freshTopics({ retryDelaysMs = testRetryDelaysMs } = {}) {
  const prefix = `test-${randomBytes(5).toString("hex")}.`
  const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "testkit", log: silentLog })
  const catalogue = topicCatalogue({ prefix, retryDelaysMs, retryPeriodMs: 3_600_000 })
  const topics = catalogue.map((topic) => ({
    name: topic.name,
    partitions: Math.min(topic.partitions, 2),
    config: topicConfig(topic, 1),
  }))
  await retryFixture(() => ensureTopics({ kafka, topics }))
  return { prefix, kafka, names: topicNames({ prefix, retryDelaysMs }) }
}
