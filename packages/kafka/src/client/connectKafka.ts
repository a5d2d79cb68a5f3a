import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import type { Log } from "./log.ts"

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
 * Shared by all clients of a process, without a socket. Acknowledgements to producers correct the clock that
 * consumers of delayed topics use.
 */
export type KafkaConnection = KafkaOptions & {
  readonly clientId: string
  readonly log: Log
  readonly clock: BrokerClock
}

export function connectKafka(connection: Omit<KafkaConnection, "clock">): KafkaConnection {
  if (connection.brokers.length === 0) {
    throw new Error("No Kafka broker is configured: give at least one address as host:port (KAFKA_BROKERS).")
  }
  return { ...connection, brokers: [...connection.brokers], clock: createBrokerClock() }
}
