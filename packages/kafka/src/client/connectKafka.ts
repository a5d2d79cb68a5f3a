import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import type { Log } from "./log.ts"

/** Addresses of the brokers, and how to authenticate. */
export type KafkaOptions = {
  /** As host:port. */
  readonly brokers: readonly string[]
  /** Unset: no TLS. `ca` is PEM; without it, certificates must come from a public authority. */
  readonly tls?: { readonly ca?: string }
  /** Unset: no SASL. */
  readonly login?: {
    readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512"
    readonly username: string
    readonly password: string
  }
}

/**
 * Settings that all clients of a process share. Contains no socket: each producer and consumer opens its own. The clock is
 * shared because acknowledgements to the producer tell the consumers the brokers' time.
 */
export type KafkaConnection = KafkaOptions & {
  readonly clientId: string
  readonly log: Log
  readonly clock: BrokerClock
}

/** Does no I/O. */
export function connectKafka(connection: Omit<KafkaConnection, "clock">): KafkaConnection {
  if (connection.brokers.length === 0) {
    throw new Error("No Kafka broker is configured: give at least one address as host:port (KAFKA_BROKERS).")
  }
  return { ...connection, brokers: [...connection.brokers], clock: createBrokerClock() }
}
