import { Kafka, type Mechanism, type SASLOptions } from "kafkajs"
import type { KafkaConnection } from "./connectKafka.ts"
import { forwardKafkajsLog } from "./forwardKafkajsLog.ts"
import { tokenAuthentication } from "./workarounds/tokenResponseIgnored.ts"
import "./workarounds/brokerErrorsHidden.ts"
import "./workarounds/missingLeaderStopsAll.ts"
import "./workarounds/hangingBrokerStaysConnected.ts"
import "./workarounds/idleQueueTimer.ts"
import "./workarounds/malformedResponseThrows.ts"
import "./workarounds/missingControllerFails.ts"
import "./workarounds/zstdMissing.ts"

export type ClientLimits = {
  requestTimeoutMs: number
  retries: number
}

/**
 * Do not share a client: two consumers of one group on one kafkajs client overwrite each other's positions.
 */
export function createClient(kafka: KafkaConnection, limits: ClientLimits): Kafka {
  return new Kafka({ ...clientOptions(kafka, limits), logCreator: forwardKafkajsLog(kafka.log) })
}

export function clientOptions(kafka: KafkaConnection, limits: ClientLimits) {
  const { tls, login } = kafka
  return {
    ...(tls === undefined ? {} : { ssl: sslOptions(tls) }),
    ...(login === undefined ? {} : { sasl: saslOptions(login) }),
    brokers: [...kafka.brokers],
    clientId: kafka.clientId,
    connectionTimeout: 2_000,
    requestTimeout: limits.requestTimeoutMs,
    retry: { retries: limits.retries, initialRetryTime: 100, maxRetryTime: 1_000 },
  }
}

function saslOptions(login: NonNullable<KafkaConnection["login"]>): SASLOptions | Mechanism {
  return login.mechanism === "oauthbearer" ? tokenAuthentication(login) : (login as SASLOptions)
}

function sslOptions({ ca, cert, key }: NonNullable<KafkaConnection["tls"]>) {
  if (ca === undefined && cert === undefined) return true
  return { ...(ca === undefined ? {} : { ca: [ca] }), ...(cert === undefined ? {} : { cert, key }) }
}
