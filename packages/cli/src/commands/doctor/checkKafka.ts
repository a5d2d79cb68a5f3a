import { setTimeout as sleep } from "node:timers/promises"
import { topicCatalogue, topicConfig } from "@sitewire/contracts"
import type { KafkaConnection } from "@sitewire/kafka"
import { Failure, messageOf } from "../../errors/failure.ts"
import type { Session } from "../../session/createSession.ts"
import { findKafka, type KafkaTarget } from "../../target/findKafka.ts"
import { unreachableAdvice } from "../../target/targetSources.ts"
import { type Check, compareClocks, fault, notChecked, ok } from "./check.ts"

const ignore = () => {}
const setupAdvice =
  "Run the setup job with the services' TOPIC_PREFIX, RETRY_DELAYS and RETRY_PERIOD, and set the same here."

export async function checkKafka(
  session: Session,
  { brokerClock }: { brokerClock: boolean },
): Promise<Check[]> {
  let target: KafkaTarget | null
  try {
    target = await findKafka(session)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return [fault("broker", "its configuration is wrong", error.message)]
  }
  if (target === null)
    return [notChecked("broker, topics", "no broker is configured", "Set KAFKA_BROKERS, or give --kafka.")]
  const { checkBroker, connectKafka } = await import("@sitewire/kafka")
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
  const kafka = connectKafka({ ...target.access, clientId: "sitewire-doctor", log })
  const brokers = target.access.brokers.join(", ")
  const state = await checkBroker({ kafka })
  if (state.status === "unreachable") {
    return [fault("broker", `${brokers} cannot be used: ${state.why}`, unreachableAdvice(target.local))]
  }
  return [
    ok("broker", `${brokers} responds`),
    ...(await checkTopics(session, kafka, target.topicPrefix)),
    brokerClock
      ? await checkBrokerClock(kafka, target.topicPrefix)
      : notChecked(
          "broker's clock",
          "Kafka tells its time only when a record is appended",
          "Add --broker-clock: it creates a topic, appends one record, and deletes the topic.",
        ),
  ]
}

async function checkTopics(session: Session, kafka: KafkaConnection, prefix: string): Promise<Check[]> {
  const { findTopicFaults } = await import("@sitewire/kafka")
  const { ConfigurationError, readConfig, retryVariables, topicVariables } = await import(
    "@sitewire/runtime/config"
  )
  try {
    const variables = { ...retryVariables, ...topicVariables }
    const { RETRY_DELAYS, RETRY_PERIOD, TOPIC_SETTINGS } = readConfig(variables, session.env)
    const wanted = topicCatalogue({ prefix, retryDelaysMs: RETRY_DELAYS, retryPeriodMs: RETRY_PERIOD })
    const faults = await findTopicFaults(
      kafka,
      wanted.map((topic) => ({
        name: topic.name,
        partitions: topic.partitions,
        configFor: (replicas: number) => topicConfig(topic, replicas, TOPIC_SETTINGS),
      })),
    )
    if (faults.length > 0) {
      const texts = faults.map((of) => `${of.topic}${of.isMissing ? "" : ":"} ${of.faults}`)
      return [fault("topics", texts.join("; "), setupAdvice)]
    }
    return [ok("topics", `all ${wanted.length} exist with the right partitions and settings`)]
  } catch (error) {
    if (error instanceof ConfigurationError)
      return [fault("topics", error.message, "Correct these variables.")]
    const advice = "Use the account of the setup job: it needs DESCRIBE and DESCRIBE_CONFIGS."
    return [fault("topics", `they cannot be read: ${messageOf(error)}`, advice)]
  }
}

/** The topic has always the same name, so that an interruption leaves at most one, which the next run deletes. */
async function checkBrokerClock(kafka: KafkaConnection, prefix: string): Promise<Check> {
  const { deleteTopics, ensureTopics, startProducer } = await import("@sitewire/kafka")
  const topic = `${prefix}sitewire.doctor`
  try {
    const config = { "message.timestamp.type": "LogAppendTime", "retention.ms": "60000" }
    await ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config }] })
    const producer = await startProducer({ kafka })
    try {
      await producer.publish([{ topic, key: null, value: "" }])
      // The second record is measured: the first one waits for the new topic's leader.
      await sleep(1)
      await producer.publish([{ topic, key: null, value: "" }])
    } finally {
      await producer.close(2_000)
    }
    return compareClocks("broker's clock", { aheadMs: kafka.clock.now() - Date.now(), uncertaintyMs: 0 })
  } catch (error) {
    return notChecked("broker's clock", `it cannot be measured: ${messageOf(error)}`, null)
  } finally {
    await deleteTopics(kafka, [topic]).catch(ignore)
  }
}
