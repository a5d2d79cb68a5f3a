import type { KafkaMessage } from "kafkajs"

/** Records with the same key go to the same partition, in order. */
export type ProducerRecord = {
  topic: string
  key: string | null
  value: Uint8Array | string | null
  headers?: Record<string, string>
}

export type ConsumerRecord = {
  topic: string
  partition: number
  offset: string
  key: string | null
  value: Buffer | null
  headers: Record<string, string>
  /** Milliseconds since the epoch; by the broker's clock if the topic uses LogAppendTime. */
  appendedAt: number
}

/**
 * Copies the value: kafkajs returns a view into the whole response, which one long-lived record would keep in
 * memory.
 */
export function readRecord(topic: string, partition: number, message: KafkaMessage): ConsumerRecord {
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

/** The last value of a repeated header. Headers without a value, from other clients, are omitted. */
function readHeaders(headers: KafkaMessage["headers"]): Record<string, string> {
  const read: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    const last = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined && last !== null) read[name] = last.toString()
  }
  return read
}
