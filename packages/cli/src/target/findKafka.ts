import type { KafkaOptions } from "@sitewire/kafka"
import { incorrectUsage } from "../errors/failure.ts"
import { type Profile, profileInUse } from "../profile/profiles.ts"
import { findLocalStack } from "./localStack.ts"
import { nonEmpty, selectedProfile, type TargetSources } from "./targetSources.ts"

export type KafkaTarget = {
  access: KafkaOptions
  topicPrefix: string
  local: boolean
}

const hostAndPort = /^([^\s:/]+|\[[^\]]+\]):\d+$/

type Found = { brokers: string | undefined; prefix: string | undefined; local: boolean }

/** Null: no broker is configured. */
export async function findKafka(sources: TargetSources): Promise<KafkaTarget | null> {
  const { options, env } = sources
  const found = findBrokers(sources)
  const text = options.kafka ?? found.brokers
  if (text === undefined) return null
  const brokers = text
    .split(",")
    .map((broker) => broker.trim())
    .filter((broker) => broker !== "")
  if (brokers.length === 0 || !brokers.every((broker) => hostAndPort.test(broker))) {
    throw incorrectUsage(
      "The brokers are invalid. Give each as host:port, and separate several by commas (--kafka or KAFKA_BROKERS).",
    )
  }
  // The local stack's Kafka has no login. Credentials in the environment are not used for it, because they
  // are for another cluster.
  const local = found.local && options.kafka === undefined
  const access = local ? { brokers } : await readAccess(brokers, env)
  return { access, topicPrefix: options.topicPrefix ?? found.prefix ?? "", local }
}

function findBrokers(sources: TargetSources): Found {
  const { options, env, cwd } = sources
  const selected = selectedProfile(sources)
  if (selected) return ofProfile(selected)
  const brokers = options.kafka ?? nonEmpty(env.KAFKA_BROKERS)
  const prefix = nonEmpty(env.TOPIC_PREFIX)
  if (brokers !== undefined) return { brokers, prefix, local: false }
  const profile = profileInUse(env)
  if (profile) return ofProfile(profile)
  const stack = findLocalStack(cwd)?.stack
  if (stack) return { brokers: stack.kafka, prefix: prefix ?? stack.topicPrefix, local: true }
  return { brokers: undefined, prefix, local: false }
}

function ofProfile({ kafka, topic_prefix }: Profile): Found {
  return { brokers: kafka, prefix: topic_prefix, local: false }
}

async function readAccess(brokers: string[], env: NodeJS.ProcessEnv): Promise<KafkaOptions> {
  // Imported here, so that commands without Kafka start without it.
  const { ConfigurationError, kafkaAuthVariables, kafkaOptions, readConfig } = await import(
    "@sitewire/runtime"
  )
  try {
    return kafkaOptions({ KAFKA_BROKERS: brokers, ...readConfig(kafkaAuthVariables, env) })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw incorrectUsage(error.message)
  }
}
