import type { KafkaMessage } from "kafkajs"

/** A record to be appended. Records with the same key go to the same partition and stay in order there. */
export type Outgoing = {
  topic: string
  key: string | null
  value: Uint8Array | string | null
  headers?: Record<string, string>
}

/** A record as it was read. */
export type Incoming = {
  topic: string
  partition: number
  offset: string
  key: string | null
  value: Buffer | null
  headers: Record<string, string>
  /** Milliseconds since the epoch, by the broker's clock where the topic uses LogAppendTime. */
  appendedAt: number
}

/**
 * The value is copied: what kafkajs hands out is a view into the whole answer of the broker, and one record held
 * for long would hold all of it (megabytes).
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

/** A header that occurs several times keeps its last value. One without a value, as other clients send it, is left out. */
function readHeaders(headers: KafkaMessage["headers"]): Record<string, string> {
  const read: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    const last = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined && last !== null) read[name] = last.toString()
  }
  return read
}
