import type { KafkaOptions } from "@sitewire/kafka"
import { ConfigurationError, kafkaAuthVariables, kafkaOptions, readConfig } from "@sitewire/runtime"
import { incorrectUsage, unreachable } from "../errors/failure.ts"
import { missingAdvice } from "./advice.ts"
import { findLocalStack } from "./localStack.ts"
import { nonEmpty, type TargetSources } from "./targetSources.ts"

export type KafkaTarget = {
  access: KafkaOptions
  topicPrefix: string
  local: boolean
}

const hostAndPort = /^([^\s:/]+|\[[^\]]+\]):\d+$/

export function findKafka({ options, env, cwd }: TargetSources): KafkaTarget {
  const configured = options.kafka ?? nonEmpty(env.KAFKA_BROKERS)
  const prefix = options.topicPrefix ?? nonEmpty(env.TOPIC_PREFIX)
  const found = configured === undefined ? findLocalStack(cwd) : null
  const text = configured ?? found?.stack.kafka
  if (text === undefined) throw unreachable(missingAdvice("Kafka", "--kafka HOST:PORT or KAFKA_BROKERS"))
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
  const access = found === null ? readAccess(brokers, env) : { brokers }
  return { access, topicPrefix: prefix ?? found?.stack.topicPrefix ?? "", local: found !== null }
}

function readAccess(brokers: string[], env: NodeJS.ProcessEnv): KafkaOptions {
  try {
    return kafkaOptions({ KAFKA_BROKERS: brokers, ...readConfig(kafkaAuthVariables, env) })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw incorrectUsage(error.message)
  }
}
