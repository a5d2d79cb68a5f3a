import type { TopicNames } from "@sitewire/contracts"
import { connectKafka, requireBroker, requireTopics, startProducer } from "@sitewire/kafka"
import { kafkaOptions, type ServiceParts, waitForDependency } from "@sitewire/runtime"
import type { dispatcherVariables } from "./config.ts"

type Service = Pick<ServiceParts<typeof dispatcherVariables>, "config" | "log" | "lifecycle">

export async function openKafka({ config, log, lifecycle }: Service, topics: TopicNames) {
  const kafka = connectKafka({ ...kafkaOptions(config), clientId: "webhook-dispatcher", log })
  const atStart = { deadlineMs: config.STARTUP_DEADLINE, log, signal: lifecycle.stopping }
  await waitForDependency({
    ...atStart,
    name: "Kafka",
    check: () => requireBroker(kafka),
    remedy: "Start it, or correct KAFKA_BROKERS.",
  })
  await waitForDependency({
    ...atStart,
    name: "Kafka's topics",
    check: () =>
      requireTopics(kafka, [
        topics.sitePaid,
        topics.sitePaidInvalid,
        topics.dead,
        topics.outcome,
        ...topics.retry,
      ]),
    remedy: "Run the setup job, with the same TOPIC_PREFIX and RETRY_DELAYS.",
  })
  const producer = await startProducer({ kafka })
  lifecycle.onStop("producer", producer.close)
  return { kafka, producer }
}
