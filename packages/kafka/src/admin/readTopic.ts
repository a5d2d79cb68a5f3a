import { randomBytes } from "node:crypto"
import type { EachBatchPayload } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { reasonOf } from "../client/log.ts"
import { type ConsumerRecord, readRecord } from "../record.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { withAdmin } from "./withAdmin.ts"

const adminTimeoutMs = 5_000

/** Offsets by partition. They are strings, because numbers are exact only up to 2^53. */
export type Offsets = Record<string, string>

export type ReadTopicOptions = {
  kafka: KafkaConnection
  topic: string
  groupPrefix: string
  /** A partition that is missing here is read from its first record. */
  from: Offsets
  /** Offsets to stop before, from `topicEnd`. A partition that is missing here is not read. */
  to: Offsets
  maxRecords: number
  maxBytes: number
  deadlineMs?: number
}

/**
 * Reads at most `maxRecords` and about `maxBytes`. To continue, pass `next` as `from`. Takes up to some
 * seconds, because it joins a temporary consumer group. Rejects if no broker responds, or if no record
 * arrives within `deadlineMs`.
 */
export async function readTopic(
  options: ReadTopicOptions,
): Promise<{ records: ConsumerRecord[]; next: Offsets; ended: boolean }> {
  const { kafka, topic, to, maxRecords, maxBytes, deadlineMs = 20_000 } = options
  const group = `${options.groupPrefix}.${randomBytes(5).toString("hex")}`
  return withAdmin(kafka, adminTimeoutMs, async (admin) => {
    const next: Offsets = { ...options.from }
    const unfinished = new Set<string>()
    for (const { partition, low } of await admin.fetchTopicOffsets(topic)) {
      const end = to[partition]
      if (end === undefined) continue
      const requested = next[partition]
      // Retention may have deleted the records at the requested offset.
      const start = requested === undefined || BigInt(requested) < BigInt(low) ? low : requested
      const ended = BigInt(start) >= BigInt(end)
      next[partition] = ended ? end : start
      if (!ended) unfinished.add(String(partition))
    }
    const records = unfinished.size === 0 ? [] : await consumePart()
    return { records, next, ended: unfinished.size === 0 }

    async function consumePart(): Promise<ConsumerRecord[]> {
      const read: ConsumerRecord[] = []
      let bytes = 0
      let batches = 0
      const { promise: finished, resolve, reject } = Promise.withResolvers<void>()
      // `finished` can reject before it is awaited.
      finished.catch(() => {})
      const consumer = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).consumer({
        groupId: group,
        maxWaitTimeInMs: 250,
        maxBytesPerPartition: 1024 * 1024,
        allowAutoTopicCreation: false,
        retry: {
          // Retries for about ten seconds: a broker that has just started needs several for its first group.
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
          // Before the seek takes effect, a batch from the partition's beginning can arrive.
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
        // If joining failed, throw its error here, before `seek` throws another one.
        await Promise.race([finished, undefined])
        for (const name of unfinished) {
          consumer.seek({ topic, partition: Number(name), offset: next[name] ?? "0" })
        }
        for (let before = -1; before !== batches; ) {
          before = batches
          if ((await withinDeadline(finished, deadlineMs, "late")) !== "late") return read
        }
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
        // If the deletion fails, the broker removes the empty group later.
        await admin.deleteGroups([group]).catch(() => {})
      }
    }
  })
}

export function topicEnd({ kafka, topic }: { kafka: KafkaConnection; topic: string }): Promise<Offsets> {
  return withAdmin(kafka, adminTimeoutMs, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic)
    return Object.fromEntries(offsets.map(({ partition, high }) => [String(partition), high]))
  })
}
