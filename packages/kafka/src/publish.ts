import { type Producer as Client, CompressionTypes, type Message } from "kafkajs"
import { choosePartitionOnce } from "./choosePartition.ts"
import { createClient, type KafkaConnection } from "./connect.ts"
import { withinDeadline } from "./deadline.ts"
import { reasonOf } from "./log.ts"
import type { Outgoing } from "./record.ts"

/** A record that no broker would take, however often it is published; nothing of its call was sent. */
export class RecordTooLarge extends Error {
  override name = "RecordTooLarge"
}

/** Sends of one topic that outlived their deadline and are still in kafkajs's hands. */
const maxAbandoned = 4

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
   * Resolves only when the broker has acknowledged all the records with acks=all. Rejects when it has not within
   * the deadline, or when one of them is too large; it may still have taken some, so whoever publishes again
   * publishes at least once.
   */
  publish(records: Outgoing[]): Promise<void>
  /** Sends what waits, takes nothing more, and hangs up. What is not acknowledged by the deadline rejects. */
  close(deadlineMs: number): Promise<void>
}

type Call = { missing: number; settled: boolean; resolve(): void; reject(error: Error): void }
type Waiting = { message: Message; bytes: number; since: number; call: Call }

/**
 * What waits for one topic, and the client that sends it. A topic that is missing or has no leader then holds up only
 * its own callers. A client for several would be useless to all of them when one is deleted: kafkajs asks for all it has
 * ever sent to at once, and takes no answer in which one is missing.
 */
type Lane = {
  topic: string
  client: Client
  connected: Promise<void> | null
  waiting: Waiting[]
  bytes: number
  timer: NodeJS.Timeout | null
  sending: boolean
  abandoned: number
}

/** Gathers the records of many callers into few requests. Rejects if no broker answers within twice the deadline. */
export async function startProducer(options: ProducerOptions): Promise<Producer> {
  const {
    kafka,
    lingerMs = 2,
    maxBatchRecords = 1_000,
    maxBatchBytes = 900_000,
    deadlineMs = 10_000,
  } = options
  const clients = createClient(kafka, { requestTimeoutMs: Math.min(deadlineMs, 30_000), retries: 2 })
  const newClient = () =>
    clients.producer({
      createPartitioner: choosePartitionOnce,
      allowAutoTopicCreation: false,
      // Enough to go on trying until about the deadline, and not much longer.
      retry: { initialRetryTime: 50, maxRetryTime: 500, retries: Math.ceil(deadlineMs / 500) + 3 },
    })
  // Connected to see whether Kafka is there; the first topic gets it.
  const first = newClient()
  const lanes = new Map<string, Lane>()
  const calls = new Map<Call, Promise<void>>()
  let closed: Promise<void> | null = null

  async function connect(): Promise<void> {
    // Twice, for a second broker where the first accepts us and then does not answer.
    const outcome = await withinDeadline(first.connect(), Math.max(2 * deadlineMs, 5_000), "late")
    if (outcome === "late") throw new Error("no answer within twice the deadline")
  }
  try {
    await connect()
  } catch (error) {
    await hangUp([first])
    throw new Error(
      `The producer could not connect to Kafka at ${kafka.brokers.join(", ")}: ${reasonOf(error)}. ` +
        "Check that it runs and that KAFKA_BROKERS names it.",
      { cause: error },
    )
  }

  function publish(records: Outgoing[]): Promise<void> {
    if (closed) return Promise.reject(new Error("The producer is closed: nothing more can be published."))
    if (records.length === 0) return Promise.resolve()
    const since = Date.now()
    const messages = records.map(toMessage)
    for (const [index, { bytes, message }] of messages.entries()) {
      if (bytes <= maxBatchBytes) continue
      const { topic } = records[index] ?? { topic: "" }
      const named = message.key === null ? "" : ` with key ${message.key}`
      return Promise.reject(
        new RecordTooLarge(
          `A record for ${topic}${named} takes ${bytes} bytes and at most ${maxBatchBytes} can be published. ` +
            "None of this call's records was sent; make it smaller.",
        ),
      )
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const settle = (finish: () => void) => {
      if (call.settled) return
      call.settled = true
      calls.delete(call)
      clearTimeout(timer)
      finish()
    }
    const call: Call = {
      missing: records.length,
      settled: false,
      resolve: () => settle(resolve),
      reject: (error) => settle(() => reject(error)),
    }
    const timer = setTimeout(() => call.reject(notAcknowledged(records.length)), deadlineMs)
    calls.set(call, promise)
    const touched = new Set<Lane>()
    for (const [index, { bytes, message }] of messages.entries()) {
      const lane = laneOf(records[index]?.topic ?? "")
      lane.waiting.push({ message, bytes, since, call })
      lane.bytes += bytes
      touched.add(lane)
    }
    for (const lane of touched) schedule(lane)
    return promise
  }

  function notAcknowledged(count: number): Error {
    return new Error(
      `Kafka did not acknowledge ${count} record(s) within ${deadlineMs} ms. ` +
        "They may or may not have been appended: publish them again, or answer that it cannot be promised.",
    )
  }

  function laneOf(topic: string): Lane {
    let lane = lanes.get(topic)
    if (!lane) {
      const client = lanes.size === 0 ? first : newClient()
      lane = {
        topic,
        client,
        connected: null,
        waiting: [],
        bytes: 0,
        timer: null,
        sending: false,
        abandoned: 0,
      }
      lanes.set(topic, lane)
    }
    return lane
  }

  // One request of a topic at a time: it keeps the order within a key, and what arrives meanwhile is gathered.
  function schedule(lane: Lane): void {
    const oldest = lane.waiting[0]
    if (!oldest || lane.sending || lane.abandoned >= maxAbandoned) return
    const full = lane.waiting.length >= maxBatchRecords || lane.bytes >= maxBatchBytes
    const waitMs = full || closed ? 0 : oldest.since + lingerMs - Date.now()
    if (waitMs <= 0) {
      if (lane.timer) clearTimeout(lane.timer)
      lane.timer = null
      void flush(lane)
    } else {
      lane.timer ??= setTimeout(() => {
        lane.timer = null
        void flush(lane)
      }, waitMs)
    }
  }

  function nextBatch(lane: Lane): Waiting[] {
    const batch: Waiting[] = []
    let bytes = 0
    let count = 0
    for (const waiting of lane.waiting) {
      // A call that was rejected meanwhile has been answered: sending its records now would only duplicate them.
      if (!waiting.call.settled) {
        if (batch.length >= maxBatchRecords || bytes + waiting.bytes > maxBatchBytes) break
        batch.push(waiting)
        bytes += waiting.bytes
      }
      lane.bytes -= waiting.bytes
      count++
    }
    lane.waiting.splice(0, count)
    return batch
  }

  async function flush(lane: Lane): Promise<void> {
    if (lane.sending) return
    const batch = nextBatch(lane)
    if (batch.length === 0) return
    lane.sending = true
    const sent = send(lane, batch)
    // kafkajs cannot be stopped; a send that outlives the deadline goes on without holding up the next ones.
    if ((await withinDeadline(sent, deadlineMs, "late")) === "late") {
      lane.abandoned++
      void sent.then(() => {
        lane.abandoned--
        schedule(lane)
      })
    }
    lane.sending = false
    schedule(lane)
  }

  async function send(lane: Lane, batch: Waiting[]): Promise<void> {
    const { topic, client } = lane
    try {
      lane.connected ??= client.connect().catch((error: unknown) => {
        lane.connected = null
        throw error
      })
      await lane.connected
      // kafkajs resolves although records were never sent, when a send is tried again after their partition has
      // moved to a broker that had already answered: with two brokers, stopping one lost records that way. So
      // only what a partition's own acknowledgement covers counts, and the rest is sent again.
      let messages = batch.map(({ message }) => message)
      while (messages.length > 0) {
        const acknowledged = await client.sendBatch({
          acks: -1,
          timeout: deadlineMs,
          compression: CompressionTypes.None,
          topicMessages: [{ topic, messages }],
        })
        const partitions = new Set(acknowledged.map(({ partition }) => partition))
        const missing = messages.filter(
          ({ partition }) => partition === undefined || !partitions.has(partition),
        )
        if (missing.length === messages.length) throw new Error("no partition acknowledged anything")
        messages = missing
      }
    } catch (cause) {
      const error = new Error(
        `Kafka did not take a batch of ${batch.length} record(s) for ${topic}: ${reasonOf(cause)}.`,
        { cause },
      )
      for (const { call } of batch) call.reject(error)
      return
    }
    for (const { call } of batch) if (--call.missing === 0) call.resolve()
  }

  async function flushAndHangUp(closeDeadlineMs: number): Promise<void> {
    for (const lane of lanes.values()) schedule(lane)
    await withinDeadline(Promise.allSettled(calls.values()), closeDeadlineMs, null)
    for (const call of calls.keys())
      call.reject(new Error("The producer was closed before Kafka acknowledged."))
    await hangUp(new Set([first, ...[...lanes.values()].map(({ client }) => client)]))
  }

  return {
    publish,
    close(closeDeadlineMs) {
      closed ??= Promise.resolve().then(() => flushAndHangUp(closeDeadlineMs))
      return closed
    },
  }
}

async function hangUp(clients: Iterable<Client>): Promise<void> {
  const leaving = [...clients].map((client) => client.disconnect())
  await withinDeadline(Promise.allSettled(leaving), 1_000, null)
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
