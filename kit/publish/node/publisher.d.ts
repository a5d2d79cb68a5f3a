import type { Kafka } from "kafkajs"
import type { SitePaid } from "./sitePaid.d.ts"

export type { SitePaid }

/** Optional headers of the record. */
export type RecordHeaders = {
  /** 1 to 200 printable ASCII characters, which follow the event through all log lines. */
  correlation?: string | undefined
  /** Your trace, which the delivery continues (W3C Trace Context). */
  traceparent?: string | undefined
}

/** Where the record is stored. */
export type Stored = { topic: string; partition: number; offset: string }

/** A field breaks a rule. Nothing was sent. The message names the field, what is wrong and the remedy, but no value. */
export class InvalidSitePaidError extends Error {
  /** The name of the field, or of the header. */
  readonly field: string
}

/** Publishes `site.paid` with the event's id as the key, acks=all and idempotence. One for a process is enough. */
export class SitePaidPublisher {
  /**
   * @param kafka Your `Kafka` of kafkajs, with the brokers and the login. It is not connected before the first event.
   * @param options `topic`: the TOPIC_PREFIX of the installation and `site.paid` (default `site.paid`).
   */
  constructor(kafka: Kafka, options?: { topic?: string })

  /**
   * Resolves when all in-sync replicas have stored the event. Events are sent one after another.
   *
   * @throws {InvalidSitePaidError} Before anything is sent.
   * @throws An error of kafkajs if it cannot connect for 40 s, or after about 40 s more without acknowledgement, or at once
   *   for a rejected login. The event may be stored all the same: publish the same event again, because a second one with the same id is ignored.
   */
  publish(event: SitePaid, headers?: RecordHeaders): Promise<Stored>

  /** Waits for events that are being published, and disconnects. */
  close(): Promise<void>
}
