import type { KafkaMessage } from "kafkajs"

/** A record to publish. Records with the same key go to the same partition, in order. */
export type Outgoing = {
  topic: string
  key: string | null
  value: Uint8Array | string | null
  headers?: Record<string, string>
}

/** A consumed record. */
export type Incoming = {
  topic: string
  partition: number
  offset: string
  key: string | null
  value: Buffer | null
  headers: Record<string, string>
  /** Milliseconds since the epoch. By the broker's clock if the topic uses LogAppendTime. */
  appendedAt: number
}

/**
 * Copies the value: kafkajs returns a view into the broker's whole response, so one long-lived record would keep megabytes
 * in memory.
 */
export function readRecord(topic: string, partition: number, message: KafkaMessage): Incoming {
  return {
    topic,
    partition,
    offset: message.offset,
    key: message.key === null ? null : message.key.toString(),
    value: message.value === null ? null : Buffer.from(message.value),
    headers: readHeaders(message.headers),
    appendedAt: Number(message.timestamp),
  }
}

/** Of a repeated header, the last value. Headers without a value, which other clients may send, are left out. */
function readHeaders(headers: KafkaMessage["headers"]): Record<string, string> {
  const read: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    const last = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined && last !== null) read[name] = last.toString()
  }
  return read
}
