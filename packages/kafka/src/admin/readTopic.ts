import { randomBytes } from "node:crypto"
import type { EachBatchPayload } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { reasonOf } from "../client/log.ts"
import { type Incoming, readRecord } from "../record.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { withAdmin } from "./withAdmin.ts"

const adminTimeoutMs = 5_000

/** Partition to offset, in a form that fits JSON: offsets exceed what numbers represent exactly. */
export type Offsets = Record<string, string>

export type ReadTopicOptions = {
  kafka: KafkaConnection
  topic: string
  /** Prefix of the temporary consumer group's name. */
  groupPrefix: string
  /** First offset per partition. A partition that is missing is read from its first record. */
  from: Offsets
  /** End per partition, exclusive, from `topicEnd`. A partition that is missing is not read. */
  to: Offsets
  /** The call returns early once it has read this much. */
  maxRecords: number
  maxBytes: number
  /** How long to wait without receiving a record. */
  deadlineMs?: number
}

/**
 * Reads part of a topic without leaving a consumer group or committed offsets. `next` is where to continue; it equals `to` when
 * everything was read. For occasional use by operators: each call joins a group, which takes up to some seconds. Rejects if
 * the broker does not respond in time.
 */
export async function readTopic(
  options: ReadTopicOptions,
): Promise<{ records: Incoming[]; next: Offsets; ended: boolean }> {
  const { kafka, topic, to, maxRecords, maxBytes, deadlineMs = 20_000 } = options
  const group = `${options.groupPrefix}.${randomBytes(5).toString("hex")}`
  return withAdmin(kafka, adminTimeoutMs, async (admin) => {
    const next: Offsets = { ...options.from }
    const unfinished = new Set<string>()
    for (const { partition, low } of await admin.fetchTopicOffsets(topic)) {
      const end = to[partition]
      if (end === undefined) continue
      const requested = next[partition]
      // Records that retention has deleted are skipped.
      const start = requested === undefined || BigInt(requested) < BigInt(low) ? low : requested
      const ended = BigInt(start) >= BigInt(end)
      next[partition] = ended ? end : start
      if (!ended) unfinished.add(String(partition))
    }
    const records = unfinished.size === 0 ? [] : await consumePart()
    return { records, next, ended: unfinished.size === 0 }

    async function consumePart(): Promise<Incoming[]> {
      const read: Incoming[] = []
      let bytes = 0
      let batches = 0
      const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
      // The consumer can crash before anything awaits this promise.
      finished.catch(() => {})
      const consumer = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).consumer({
        groupId: group,
        maxWaitTimeInMs: 250,
        maxBytesPerPartition: 1024 * 1024,
        allowAutoTopicCreation: false,
        retry: {
          // About ten seconds in total: a broker that has just started needs several for its first group.
          retries: 12,
          initialRetryTime: 100,
          maxRetryTime: 1_000,
          restartOnFailure: async () => false,
        },
      })
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))

      async function eachBatch({ batch, resolveOffset }: EachBatchPayload): Promise<void> {
        const name = String(batch.partition)
        const end = BigInt(to[name] ?? "0")
        for (const message of batch.messages) {
          if (!unfinished.has(name) || read.length >= maxRecords || bytes >= maxBytes) break
          const offset = BigInt(message.offset)
          // A first batch from the partition's beginning can arrive before the seek takes effect.
          if (offset >= BigInt(next[name] ?? "0") && offset < end) {
            read.push(readRecord(topic, batch.partition, message))
            bytes += message.value?.byteLength ?? 0
            next[name] = String(offset + 1n)
          }
          if (offset + 1n >= end) {
            next[name] = String(end)
            unfinished.delete(name)
          }
          resolveOffset(message.offset)
        }
        batches++
        if (unfinished.size === 0 || read.length >= maxRecords || bytes >= maxBytes) resolve()
      }

      try {
        await consumer.connect()
        await consumer.subscribe({ topics: [topic], fromBeginning: true })
        await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })
        // If the consumer crashed while joining, report that error and not the one of `seek`.
        await Promise.race([finished, undefined])
        for (const name of unfinished) {
          consumer.seek({ topic, partition: Number(name), offset: next[name] ?? "0" })
        }
        for (let before = -1; before !== batches; ) {
          before = batches
          if ((await withinDeadline(finished, deadlineMs, "late")) !== "late") return read
        }
        // What was read is complete up to `next`.
        if (read.length > 0) return read
        throw new Error(`no record arrived within ${deadlineMs} ms`)
      } catch (cause) {
        throw new Error(
          `Topic ${topic} could not be read on ${kafka.brokers.join(", ")}: ${reasonOf(cause)}. ` +
            "Check that Kafka runs, and try again.",
          { cause },
        )
      } finally {
        await withinDeadline(
          consumer.disconnect().catch(() => {}),
          5_000,
          null,
        )
        // If this fails, the broker removes the empty group later.
        await admin.deleteGroups([group]).catch(() => {})
      }
    }
  })
}

/** The end offset of each partition. Rejects if no broker responds or the topic does not exist. */
export function topicEnd({ kafka, topic }: { kafka: KafkaConnection; topic: string }): Promise<Offsets> {
  return withAdmin(kafka, adminTimeoutMs, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic)
    return Object.fromEntries(offsets.map(({ partition, high }) => [String(partition), high]))
  })
}
