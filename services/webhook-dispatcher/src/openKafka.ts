import type { TopicNames } from "@sitewire/contracts"
import { connectKafka, requireTopics, startProducer, waitForBroker } from "@sitewire/kafka"
import { kafkaOptions, type ServiceParts, waitForDependency } from "@sitewire/runtime"
import type { dispatcherVariables } from "./variables.ts"

type Service = Pick<ServiceParts<typeof dispatcherVariables>, "config" | "log" | "lifecycle">

export async function openKafka({ config, log, lifecycle }: Service, topics: TopicNames) {
  const kafka = connectKafka({ ...kafkaOptions(config), clientId: "webhook-dispatcher", log })
  await waitForBroker({
    kafka,
    deadlineMs: config.STARTUP_DEADLINE,
    onWait: (waitedMs, why) => log.warn({ waitedMs, why }, "waiting for Kafka"),
  })
  await waitForDependency({
    name: "Kafka's topics",
    check: () =>
      requireTopics(kafka, [topics.sitePaid, topics.sitePaidInvalid, topics.dead, ...topics.retry]),
    deadlineMs: config.STARTUP_DEADLINE,
    remedy: "Run the setup job, with the same TOPIC_PREFIX and RETRY_DELAYS.",
    log,
    signal: lifecycle.stopping,
  })
  const producer = await startProducer({ kafka })
  lifecycle.onStop("producer", producer.close)
  return { kafka, producer }
}
