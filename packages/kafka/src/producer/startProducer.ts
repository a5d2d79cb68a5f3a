/*
 * What kafkajs's producer does not do, and how it was seen:
 * - Report an outcome for each partition: in tests, one without a leader failed every send to its topic, and one rejected record its
 *   whole request; retries appended acknowledged records again (publishErrors.test.ts, topicSender.test.ts).
 * - Leave a broker that hangs: with a paused broker, records waited although others had become leaders (brokerFaults.extended.test.ts).
 * - Keep topics apart: a broker handles one connection's requests in order, so a slow topic delayed the others.
 * - Repeat idempotently beside other requests: a record got a concurrent one's sequence number and was lost (kit/publish/README.md).
 */
import type { Message } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { reasonOf } from "../client/log.ts"
import type { ProducerRecord } from "../record.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { createBrokerConnections } from "./brokerConnections.ts"
import type { PublishCall } from "./partitionQueue.ts"
import { RecordTooLarge } from "./publishErrors.ts"
import { createTopicSender, type TopicSender } from "./topicSender.ts"
import type { TopicState } from "./topicState.ts"

/** Shorter than the deadline, so that what a leader that hangs has not acknowledged is sent to its successor. */
const longestRequestMs = 11_000

export type ProducerOptions = {
  kafka: KafkaConnection
  /** How long a record waits for others to share its request with. */
  lingerMs?: number
  maxBatchRecords?: number
  /**
   * The largest request, and so the largest record. Must be below the broker's `message.max.bytes` (default:
   * 1 MiB).
   */
  maxBatchBytes?: number
  /** Must be longer than `broker.session.timeout.ms` (default: 9 s), for which partitions wait for a dead broker. Default: 20 s. */
  deadlineMs?: number
}

export type Producer = {
  /**
   * Resolves when all records are acknowledged with acks=all. Rejects at the deadline, or earlier with a
   * `PermanentPublishError`; some records may have been appended then. A failure affects no other call.
   */
  publish(records: ProducerRecord[]): Promise<void>
  /**
   * Whether the topic accepts records, from recent acknowledgements or a small request. Takes at most about
   * twice `withinMs`.
   */
  check(topic: string, withinMs: number): Promise<TopicState>
  /** Sends the queued records. Calls of `publish` that are not acknowledged by the deadline reject. */
  close(deadlineMs: number): Promise<void>
}

/**
 * Batches the records of concurrent callers. Rejects if no broker responds within twice `deadlineMs`, or 5 s
 * if that is longer.
 */
export async function startProducer(options: ProducerOptions): Promise<Producer> {
  const {
    kafka,
    lingerMs = 2,
    maxBatchRecords = 1_000,
    maxBatchBytes = 900_000,
    deadlineMs = 20_000,
  } = options
  const requestTimeoutMs = Math.min(deadlineMs, longestRequestMs)
  const newConnections = () => createBrokerConnections(kafka, { requestTimeoutMs, retries: 2 })
  // These connections are opened now, to check that Kafka is reachable, and used for the first topic.
  const first = newConnections()
  // Each topic has its own connections, because a broker handles one connection's requests in order: a slow
  // topic would delay the others.
  const senders = new Map<string, TopicSender>()
  const calls = new Map<PublishCall, { promise: Promise<void>; expiresAt: number }>()
  let expiryTimer: NodeJS.Timeout | null = null
  let closed: Promise<void> | null = null

  try {
    // Twice the deadline leaves time for a second broker if the first hangs.
    const outcome = await withinDeadline(first.connect(), Math.max(2 * deadlineMs, 5_000), "late")
    if (outcome === "late") throw new Error("no response within twice the deadline")
  } catch (error) {
    await withinDeadline(Promise.allSettled([first.disconnect()]), 1_000, null)
    throw new Error(
      `The producer could not connect to Kafka at ${kafka.brokers.join(", ")}: ${reasonOf(error)}. ` +
        "Check that Kafka runs and that KAFKA_BROKERS is right.",
      { cause: error },
    )
  }

  function senderOf(topic: string): TopicSender {
    const known = senders.get(topic)
    if (known) return known
    const settings = { lingerMs, maxBatchRecords, maxBatchBytes, requestTimeoutMs }
    const sender = createTopicSender(topic, senders.size === 0 ? first : newConnections(), settings)
    senders.set(topic, sender)
    return sender
  }

  function publish(records: ProducerRecord[]): Promise<void> {
    if (closed) return Promise.reject(new Error("The producer is closed: nothing more can be published."))
    if (records.length === 0) return Promise.resolve()
    const queuedAt = performance.now()
    const messages = records.map(toMessage)
    const large = messages.findIndex(({ bytes }) => bytes > maxBatchBytes)
    if (large >= 0)
      return Promise.reject(tooLarge(records[large]?.topic ?? "", messages[large]?.bytes ?? 0, maxBatchBytes))
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let unacknowledged = records.length
    const settle = () => {
      call.settled = true
      calls.delete(call)
    }
    const call: PublishCall = {
      settled: false,
      why: null,
      acknowledge() {
        unacknowledged -= 1
        if (unacknowledged > 0 || call.settled) return
        settle()
        resolve()
      },
      reject(error) {
        if (call.settled) return
        settle()
        reject(error)
      },
    }
    calls.set(call, { promise, expiresAt: performance.now() + deadlineMs })
    if (expiryTimer === null) expireCalls()
    for (const [index, { bytes, message }] of messages.entries())
      senderOf(records[index]?.topic ?? "").add({ message, bytes, queuedAt, call })
    return promise
  }

  function expireCalls(): void {
    expiryTimer = null
    const now = performance.now()
    for (const [call, { expiresAt }] of calls) {
      if (expiresAt > now) {
        expiryTimer = setTimeout(expireCalls, expiresAt - now + 1)
        return
      }
      call.reject(notAcknowledged(call.why))
    }
  }

  function notAcknowledged(why: string | null): Error {
    const reason = why ?? `no broker of ${kafka.brokers.join(", ")} responded`
    return new Error(
      `Kafka did not acknowledge all records within ${deadlineMs} ms (${reason}). They may or may not have been ` +
        "appended: publish them again, or report to your caller that they may be lost.",
    )
  }

  async function flushAndDisconnect(closeDeadlineMs: number): Promise<void> {
    for (const sender of senders.values()) sender.flush()
    const promises = [...calls.values()].map(({ promise }) => promise)
    await withinDeadline(Promise.allSettled(promises), closeDeadlineMs, null)
    for (const call of calls.keys())
      call.reject(new Error("The producer was closed before Kafka acknowledged the records."))
    if (expiryTimer) clearTimeout(expiryTimer)
    const disconnecting = [first, ...senders.values()].map((each) => each.disconnect())
    await withinDeadline(Promise.allSettled(disconnecting), 1_000, null)
  }

  return {
    publish,
    check: (topic, withinMs) => senderOf(topic).check(withinMs),
    close(closeDeadlineMs) {
      closed ??= Promise.resolve().then(() => flushAndDisconnect(closeDeadlineMs))
      return closed
    },
  }
}

/** The error does not contain the record's key, which a publisher may have made of personal data. */
function tooLarge(topic: string, bytes: number, limit: number): RecordTooLarge {
  const why =
    `A record for ${topic} has ${bytes} bytes; the limit is ${limit}. No record of this call was sent. ` +
    "Make the record smaller."
  return new RecordTooLarge(why, topic)
}

function toMessage({ key, value, headers, timestamp }: ProducerRecord): { message: Message; bytes: number } {
  let bytes = 40 + (key === null ? 0 : Buffer.byteLength(key))
  bytes += typeof value === "string" ? Buffer.byteLength(value) : (value?.byteLength ?? 0)
  for (const [name, values] of Object.entries(headers ?? {}))
    for (const value of [values].flat()) bytes += 10 + Buffer.byteLength(name) + Buffer.byteLength(value)
  const bytesOf = (view: Uint8Array) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  const message: Message = { key, value: value instanceof Uint8Array ? bytesOf(value) : (value ?? null) }
  if (headers) message.headers = headers
  if (timestamp !== undefined) message.timestamp = String(timestamp)
  return { message, bytes }
}
