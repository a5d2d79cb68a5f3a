import type { Message } from "kafkajs"
import { createBrokerPool } from "./brokerConnections.ts"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { reasonOf } from "../client/log.ts"
import { RecordTooLarge } from "./publishErrors.ts"
import type { Outgoing } from "../record.ts"
import { type Call, createTopicSender, type TopicSender, type TopicState } from "./topicSender.ts"

export type ProducerOptions = {
  kafka: KafkaConnection
  /** How long a record waits for others to share its request. */
  lingerMs?: number
  maxBatchRecords?: number
  /**
   * Of one request, and so of one record. Brokers bound what one partition gets in one request
   * (`message.max.bytes`, 1 MiB by default); the default stays below it wherever the records go.
   */
  maxBatchBytes?: number
  /** From the call of `publish` to its rejection. */
  deadlineMs?: number
}

export type Producer = {
  /**
   * Resolves only when the broker has acknowledged all the records with acks=all. Rejects with a `PermanentPublishError`
   * as soon as one of them is refused for good, and with another error when they are not acknowledged within the
   * deadline. Some of a call's records may have been appended then, so whoever publishes again publishes at least once.
   * What happens to a record concerns its own call and no other.
   */
  publish(records: Outgoing[]): Promise<void>
  /**
   * What is known of a topic: by its newest acknowledgements, or by a small request on the connections that are open to
   * its brokers. For readiness, about once a second. Takes about `withinMs`, twice that where no leader responds.
   */
  check(topic: string, withinMs: number): Promise<TopicState>
  /** Sends what waits, takes nothing more, and hangs up. What is not acknowledged by the deadline rejects. */
  close(deadlineMs: number): Promise<void>
}

/** Batches the records of many callers into few requests. Rejects if no broker responds within twice the deadline. */
export async function startProducer(options: ProducerOptions): Promise<Producer> {
  const {
    kafka,
    lingerMs = 2,
    maxBatchRecords = 1_000,
    maxBatchBytes = 900_000,
    deadlineMs = 10_000,
  } = options
  const requestTimeoutMs = Math.min(deadlineMs, 30_000)
  const newPool = () => createBrokerPool(kafka, { requestTimeoutMs, retries: 2 })
  // Connected to see whether Kafka is there; the first topic gets it.
  const first = newPool()
  // Connections for each topic: a broker handles those requests one after the other that come on one connection, and
  // acks=all can take long for one topic and not for another.
  const senders = new Map<string, TopicSender>()
  const calls = new Map<Call, { promise: Promise<void>; expiresAt: number }>()
  let expiring: NodeJS.Timeout | null = null
  let closed: Promise<void> | null = null

  try {
    // Twice, for a second broker where the first accepts us and then does not answer.
    const outcome = await withinDeadline(first.connect(), Math.max(2 * deadlineMs, 5_000), "late")
    if (outcome === "late") throw new Error("no answer within twice the deadline")
  } catch (error) {
    await withinDeadline(Promise.allSettled([first.disconnect()]), 1_000, null)
    throw new Error(
      `The producer could not connect to Kafka at ${kafka.brokers.join(", ")}: ${reasonOf(error)}. ` +
        "Check that it runs and that KAFKA_BROKERS names it.",
      { cause: error },
    )
  }

  function senderOf(topic: string): TopicSender {
    const known = senders.get(topic)
    if (known) return known
    const settings = { lingerMs, maxBatchRecords, maxBatchBytes, requestTimeoutMs }
    const sender = createTopicSender(topic, senders.size === 0 ? first : newPool(), settings)
    senders.set(topic, sender)
    return sender
  }

  function publish(records: Outgoing[]): Promise<void> {
    if (closed) return Promise.reject(new Error("The producer is closed: nothing more can be published."))
    if (records.length === 0) return Promise.resolve()
    const since = Date.now()
    const messages = records.map(toMessage)
    const large = messages.findIndex(({ bytes }) => bytes > maxBatchBytes)
    const tooLarge = records[large]
    if (tooLarge) {
      const { topic, key } = tooLarge
      const why =
        `A record for ${topic}${key === null ? "" : ` with key ${key}`} takes ${messages[large]?.bytes} bytes and at ` +
        `most ${maxBatchBytes} can be published. None of this call's records was sent; make it smaller.`
      return Promise.reject(new RecordTooLarge(why, topic))
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    let missing = records.length
    const settle = () => {
      call.settled = true
      calls.delete(call)
    }
    const call: Call = {
      settled: false,
      why: null,
      acknowledge() {
        missing -= 1
        if (missing > 0 || call.settled) return
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
    if (expiring === null) expire()
    for (const [index, { bytes, message }] of messages.entries())
      senderOf(records[index]?.topic ?? "").add({ message, bytes, since, call })
    return promise
  }

  /** One timer for all: they expire in the order in which they came. */
  function expire(): void {
    expiring = null
    const now = performance.now()
    for (const [call, { expiresAt }] of calls) {
      if (expiresAt > now) {
        expiring = setTimeout(expire, expiresAt - now + 1)
        return
      }
      call.reject(notAcknowledged(call.why))
    }
  }

  function notAcknowledged(why: string | null): Error {
    return new Error(
      `Kafka did not acknowledge all records within ${deadlineMs} ms${why === null ? "" : ` (${why})`}. They may or ` +
        "may not have been appended: publish them again, or answer that it cannot be promised.",
    )
  }

  async function flushAndHangUp(closeDeadlineMs: number): Promise<void> {
    for (const sender of senders.values()) sender.hurry()
    const promises = [...calls.values()].map(({ promise }) => promise)
    await withinDeadline(Promise.allSettled(promises), closeDeadlineMs, null)
    for (const call of calls.keys())
      call.reject(new Error("The producer was closed before Kafka acknowledged."))
    if (expiring) clearTimeout(expiring)
    const leaving = [first, ...senders.values()].map((each) => each.disconnect())
    await withinDeadline(Promise.allSettled(leaving), 1_000, null)
  }

  return {
    publish,
    check: (topic, withinMs) => senderOf(topic).check(withinMs),
    close(closeDeadlineMs) {
      closed ??= Promise.resolve().then(() => flushAndHangUp(closeDeadlineMs))
      return closed
    },
  }
}

/** The size is an upper bound of what the record format adds: lengths, offset and time, per header two lengths. */
function toMessage({ key, value, headers }: Outgoing): { message: Message; bytes: number } {
  let bytes = 40 + (key === null ? 0 : Buffer.byteLength(key))
  bytes += typeof value === "string" ? Buffer.byteLength(value) : (value?.byteLength ?? 0)
  for (const name in headers) bytes += 10 + Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? "")
  const bytesOf = (view: Uint8Array) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  const message: Message = { key, value: value instanceof Uint8Array ? bytesOf(value) : (value ?? null) }
  if (headers) message.headers = headers
  return { message, bytes }
}
