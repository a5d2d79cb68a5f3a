import type { KafkaMessage } from "kafkajs"

type HeaderValue = Buffer | string
/** A name that is repeated has a list of values. */
export type RecordHeaders = Record<string, HeaderValue | HeaderValue[]>

export type ProducerRecord = {
  topic: string
  key: Buffer | string | null
  value: Uint8Array | string | null
  /** Milliseconds since the epoch. Default: now. A topic with LogAppendTime ignores it. */
  timestamp?: number
  headers?: RecordHeaders
}

export type ConsumerRecord = {
  topic: string
  partition: number
  offset: string
  key: string | null
  value: Buffer | null
  /** Of a repeated header, the last value. */
  headers: Record<string, string>
  /** Key and headers as they were published, for a copy of the record: `key` and `headers` are what they are as text. */
  original: { key: Buffer | null; headers: RecordHeaders }
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
 * Copies value, key and headers, because kafkajs returns views into the whole response, which one long-lived record would
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
    value: copy(message.value),
    headers: readHeaders(message.headers),
    original: { key: copy(message.key), headers: copyHeaders(message.headers) },
    appendedAt: Number(message.timestamp),
    timeFrom: message.batchContext?.timestampType === logAppendTime ? "broker" : "publisher",
  }
}

function copy(bytes: Buffer | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes)
}

/** A header without a value gets an empty one, because kafkajs cannot send none. */
function copyHeaders(headers: KafkaMessage["headers"] = {}): RecordHeaders {
  const copyValue = (value: HeaderValue | null | undefined) => Buffer.from(value ?? "")
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(copyValue) : copyValue(value),
    ]),
  )
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
