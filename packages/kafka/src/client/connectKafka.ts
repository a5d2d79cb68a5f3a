import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import type { Log } from "./log.ts"

export type KafkaOptions = {
  readonly brokers: readonly string[]
  /**
   * Unset: no TLS. `ca` is a certificate authority in PEM. Without it, certificates must come from a public
   * one. `cert` and `key`, in PEM, identify this client.
   */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string }
  /** Unset: no SASL. */
  readonly login?: PasswordLogin | TokenLogin
}

export type PasswordLogin = {
  readonly mechanism: "plain" | "scram-sha-256" | "scram-sha-512"
  readonly username: string
  readonly password: string
}

export type TokenLogin = {
  readonly mechanism: "oauthbearer"
  /** Called for each login of a connection. A connection logs in again 10 s before the broker would end its session. */
  readonly readToken: () => Promise<string>
  /** Sent with the token. */
  readonly extensions: Readonly<Record<string, string>>
}

/**
 * What all Kafka clients of a process share. It has no socket. Consumers of delayed topics read the brokers'
 * time from `clock`, which producers correct with each acknowledgement.
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
