import { Kafka, type SASLOptions } from "kafkajs"
import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import { type Log, routeKafkajsLog } from "./log.ts"
import "./workarounds/hangingBrokerStaysConnected.ts"
import "./workarounds/idleQueueTimer.ts"

/** Where Kafka is, and how we may come in. */
export type KafkaOptions = {
  /** As host:port. */
  readonly brokers: readonly string[]
  /** Unset: not encrypted. `ca` is PEM; without it, certificates must come from a public authority. */
  readonly tls?: { readonly ca?: string }
  /** Unset: nobody asks. */
  readonly login?: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512"
    readonly username: string
    readonly password: string
  }
}

/**
 * And who we are to it. Holds no socket: each producer and consumer opens its own. They share the clock: what is published
 * shows the consumers what time it is at the brokers.
 */
export type KafkaConnection = KafkaOptions & {
  readonly clientId: string
  readonly log: Log
  readonly clock: BrokerClock
}

/** Names the brokers for everything else in this package. No I/O yet. */
export function connectKafka(connection: Omit<KafkaConnection, "clock">): KafkaConnection {
  if (connection.brokers.length === 0) {
    throw new Error("No Kafka broker is configured: give at least one address as host:port (KAFKA_BROKERS).")
  }
  return { ...connection, brokers: [...connection.brokers], clock: createBrokerClock() }
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
  return new Kafka({ ...clientOptions(kafka, limits), logCreator: routeKafkajsLog(kafka.log) })
}

/** What kafkajs needs to connect, log in and give up in time. */
export function clientOptions(kafka: KafkaConnection, limits: ClientLimits) {
  const { tls, login } = kafka
  return {
    // Node's defaults verify the certificate and its name, and want TLS 1.2 or newer.
    ...(tls === undefined ? {} : { ssl: tls.ca === undefined ? true : { ca: [tls.ca] } }),
    ...(login === undefined ? {} : { sasl: login as SASLOptions }),
    brokers: [...kafka.brokers],
    clientId: kafka.clientId,
    connectionTimeout: 2_000,
    requestTimeout: limits.requestTimeoutMs,
    retry: { retries: limits.retries, initialRetryTime: 100, maxRetryTime: 1_000 },
  }
}
