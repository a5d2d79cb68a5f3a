import type { KafkaMessage } from "kafkajs"

export type ProducerRecord = {
  topic: string
  key: string | null
  value: Uint8Array | string | null
  /** Milliseconds since the epoch. Default: now. A topic with LogAppendTime ignores it. */
  timestamp?: number
  headers?: Record<string, string>
}

export type ConsumerRecord = {
  topic: string
  partition: number
  offset: string
  key: string | null
  value: Buffer | null
  headers: Record<string, string>
  /** Milliseconds since the epoch. */
  appendedAt: number
  /** Whose clock `appendedAt` is from: the broker's if the topic has LogAppendTime. */
  timeFrom: "broker" | "publisher"
}

/** kafkajs does not declare it. */
type BatchContext = { batchContext?: { timestampType?: number } }

/** `timestampType` of a batch whose time the broker set (LogAppendTime). */
const logAppendTime = 1

/**
 * Copies the value, because kafkajs returns a view into the whole response, which one long-lived record would
 * keep in memory.
 */
export function readRecord(
  topic: string,
  partition: number,
  message: KafkaMessage & BatchContext,
): ConsumerRecord {
  return {
    topic,
    partition,
    offset: message.offset,
    key: message.key === null ? null : message.key.toString(),
    value: message.value === null ? null : Buffer.from(message.value),
    headers: readHeaders(message.headers),
    appendedAt: Number(message.timestamp),
    timeFrom: message.batchContext?.timestampType === logAppendTime ? "broker" : "publisher",
  }
}

/** Takes the last value of a repeated header. Omits headers without a value, which other clients can send. */
function readHeaders(headers: KafkaMessage["headers"]): Record<string, string> {
  const read: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    const last = Array.isArray(value) ? value.at(-1) : value
    if (last !== undefined && last !== null) read[name] = last.toString()
  }
  return read
}
