import { Kafka } from "kafkajs"
import { type Log, routeKafkajsLog } from "./log.ts"
import "./restWhenIdle.ts"

/** Where Kafka is and who we are to it. Holds no socket: each producer and consumer opens its own. */
export type KafkaConnection = {
  readonly brokers: readonly string[]
  readonly clientId: string
  readonly log: Log
}

/** Names the brokers (`host:port`) for everything else in this package. No I/O yet. */
export function connectKafka({ brokers, clientId, log }: { brokers: string[]; clientId: string; log: Log }) {
  if (brokers.length === 0) {
    throw new Error("No Kafka broker is configured: give at least one address as host:port (KAFKA_BROKERS).")
  }
  const connection: KafkaConnection = { brokers: [...brokers], clientId, log }
  return connection
}

export type ClientLimits = {
  requestTimeoutMs: number
  /** Retries of connecting and of asking for metadata; each role has its own retries on top of these. */
  retries: number
}

/**
 * A kafkajs client for one role. Never shared: kafkajs keeps committed offsets per client and group, so two
 * consumers of one group on one client wipe each other's positions.
 */
export function createClient(kafka: KafkaConnection, limits: ClientLimits): Kafka {
  return new Kafka({
    brokers: [...kafka.brokers],
    clientId: kafka.clientId,
    connectionTimeout: 2_000,
    requestTimeout: limits.requestTimeoutMs,
    retry: { retries: limits.retries, initialRetryTime: 100, maxRetryTime: 1_000 },
    logCreator: routeKafkajsLog(kafka.log),
  })
}
