import { Kafka, type SASLOptions } from "kafkajs"
import type { KafkaConnection } from "./connectKafka.ts"
import { forwardKafkajsLog } from "./forwardKafkajsLog.ts"
import "./workarounds/hangingBrokerStaysConnected.ts"
import "./workarounds/idleQueueTimer.ts"

export type ClientLimits = {
  requestTimeoutMs: number
  /** Retries of connecting and of reading metadata. Producers and consumers have retries of their own beyond these. */
  retries: number
}

/**
 * A kafkajs client for one producer, consumer or admin. Never share it: kafkajs stores committed offsets per client and
 * group, so two consumers of one group on one client overwrite each other's positions.
 */
export function createClient(kafka: KafkaConnection, limits: ClientLimits): Kafka {
  return new Kafka({ ...clientOptions(kafka, limits), logCreator: forwardKafkajsLog(kafka.log) })
}

export function clientOptions(kafka: KafkaConnection, limits: ClientLimits) {
  const { tls, login } = kafka
  return {
    // Node's defaults verify the certificate and its name, and require TLS 1.2.
    ...(tls === undefined ? {} : { ssl: tls.ca === undefined ? true : { ca: [tls.ca] } }),
    ...(login === undefined ? {} : { sasl: login as SASLOptions }),
    brokers: [...kafka.brokers],
    clientId: kafka.clientId,
    connectionTimeout: 2_000,
    requestTimeout: limits.requestTimeoutMs,
    retry: { retries: limits.retries, initialRetryTime: 100, maxRetryTime: 1_000 },
  }
}
