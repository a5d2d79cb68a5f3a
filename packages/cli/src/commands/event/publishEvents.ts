import { topicNames } from "@sitewire/contracts"
import { checkBroker, connectKafka, type Log, startProducer } from "@sitewire/kafka"
import { failed, messageOf, unreachable } from "../../errors/failure.ts"
import type { KafkaTarget } from "../../target/findKafka.ts"
import { unreachableAdvice } from "../../target/targetSources.ts"
import type { Event } from "./readEvents.ts"

const ignore = () => {}
const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

/**
 * How many events one call of the producer's `publish` contains. Each call has a deadline, and one call with
 * all events of a large file could exceed it.
 */
const batchSize = 5_000

/** Publishes to `site.paid`, and resolves when the broker has acknowledged every record with acks=all. */
export async function publishEvents(
  events: readonly Event[],
  target: KafkaTarget,
): Promise<{ topic: string }> {
  const { sitePaid: topic } = topicNames({ prefix: target.topicPrefix, retryDelaysMs: [] })
  const kafka = connectKafka({ ...target.access, clientId: "sitewire-cli", log: silent })
  const brokers = target.access.brokers.join(", ")
  const state = await checkBroker({ kafka })
  if (state.status === "unreachable") {
    const advice = unreachableAdvice(target.local)
    throw unreachable(`Kafka at ${brokers} cannot be reached: ${state.why}. ${advice}`)
  }
  const producer = await startProducer({ kafka })
  let acknowledged = 0
  try {
    for (; acknowledged < events.length; acknowledged += batchSize) {
      const batch = events.slice(acknowledged, acknowledged + batchSize)
      await producer.publish(batch.map(({ value, id }) => ({ topic, key: id, value })))
    }
  } catch (error) {
    const reason = messageOf(error)
    throw failed(
      `${acknowledged} of ${events.length} event(s) were acknowledged, then: ${reason} ` +
        `Check that this machine reaches all brokers of the cluster and that the topic ${topic} exists ` +
        "(TOPIC_PREFIX), and publish again: " +
        "an event whose id was published twice is delivered once.",
    )
  } finally {
    await producer.close(2_000)
  }
  return { topic }
}
