import { topicNames } from "@sitewire/contracts"
import { checkBroker, connectKafka, type Log, startProducer } from "@sitewire/kafka"
import { failed, unreachable } from "../../errors/failure.ts"
import type { Event } from "./readEvents.ts"
import { adviseUnreachable, type KafkaTarget } from "../../target/findApi.ts"

const nothing = () => {}
const silent: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/** Each part has the producer's whole deadline, so a large file is not refused for its size. */
const partSize = 5_000

/**
 * Publishes to `site.paid`; resolves with the topic once the broker has acknowledged every record with acks=all. A
 * Failure says how many had been acknowledged before it.
 */
export async function publishEvents(
  events: readonly Event[],
  target: KafkaTarget,
): Promise<{ topic: string }> {
  const { sitePaid: topic } = topicNames({ prefix: target.topicPrefix, retryDelaysMs: [] })
  const kafka = connectKafka({ ...target.access, clientId: "sitewire-cli", log: silent })
  const where = target.access.brokers.join(", ")
  const state = await checkBroker({ kafka })
  if (state.status === "unreachable") {
    throw unreachable(`Kafka at ${where} cannot be reached: ${state.why}. ${adviseUnreachable(target.local)}`)
  }
  const producer = await startProducer({ kafka })
  let acknowledged = 0
  try {
    for (; acknowledged < events.length; acknowledged += partSize) {
      const part = events.slice(acknowledged, acknowledged + partSize)
      await producer.publish(part.map(({ value, id }) => ({ topic, key: id, value })))
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw failed(
      `${acknowledged} of ${events.length} event(s) were acknowledged, then: ${reason} ` +
        `Check that the topic ${topic} exists (TOPIC_PREFIX), and publish again: an event whose id came twice counts once.`,
    )
  } finally {
    await producer.close(2_000)
  }
  return { topic }
}
