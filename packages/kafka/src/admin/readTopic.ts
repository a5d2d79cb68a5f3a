import { randomBytes } from "node:crypto"
import type { EachBatchPayload } from "kafkajs"
import { createClient, type KafkaConnection } from "../client/connectKafka.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { reasonOf } from "../client/log.ts"
import { type Incoming, readRecord } from "../record.ts"
import { withAdmin } from "./withAdmin.ts"

const adminTimeoutMs = 5_000

/** Partition to offset, as it may be kept as JSON: offsets are larger than numbers can hold. */
export type Offsets = Record<string, string>

export type ReadTopicOptions = {
  kafka: KafkaConnection
  topic: string
  /** What the reader's consumer group is named with; the group lives as long as the call. */
  groupPrefix: string
  /** Where to begin in each partition; one that is missing is read from its first record. */
  from: Offsets
  /** Where to end in each partition, exclusive: what `topicEnd` said. Partitions that are missing are not read. */
  to: Offsets
  /** A call ends early once it has this much. */
  maxRecords: number
  maxBytes: number
  /** How long nothing may come. */
  deadlineMs?: number
}

/**
 * Reads a piece of a topic and leaves nothing behind: no committed offsets, no group. `next` is where to go on, and
 * equals `to` when all was read. For occasional reading by operators: joining a group takes up to some seconds, once
 * a call. Rejects where the broker does not answer in time.
 */
export async function readTopic(
  options: ReadTopicOptions,
): Promise<{ records: Incoming[]; next: Offsets; ended: boolean }> {
  const { kafka, topic, to, maxRecords, maxBytes, deadlineMs = 20_000 } = options
  const group = `${options.groupPrefix}.${randomBytes(5).toString("hex")}`
  return withAdmin(kafka, adminTimeoutMs, async (admin) => {
    const next: Offsets = { ...options.from }
    const left = new Set<string>()
    for (const { partition, low } of await admin.fetchTopicOffsets(topic)) {
      const end = to[partition]
      if (end === undefined) continue
      const asked = next[partition]
      // What retention has deleted meanwhile is passed over.
      const start = asked === undefined || BigInt(asked) < BigInt(low) ? low : asked
      const ended = BigInt(start) >= BigInt(end)
      next[partition] = ended ? end : start
      if (!ended) left.add(String(partition))
    }
    const records = left.size === 0 ? [] : await consumePiece()
    return { records, next, ended: left.size === 0 }

    async function consumePiece(): Promise<Incoming[]> {
      const taken: Incoming[] = []
      let bytes = 0
      let progress = 0
      const { promise: over, resolve, reject } = Promise.withResolvers<void>()
      // A crash can come before anybody waits for the end.
      over.catch(() => {})
      const consumer = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).consumer({
        groupId: group,
        maxWaitTimeInMs: 250,
        maxBytesPerPartition: 1024 * 1024,
        allowAutoTopicCreation: false,
        retry: {
          // Together some ten seconds: a broker that was started just now takes whole seconds for its first group.
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
          if (!left.has(name) || taken.length >= maxRecords || bytes >= maxBytes) break
          const offset = BigInt(message.offset)
          // Before the seek takes effect, a first batch may come from the partition's beginning.
          if (offset >= BigInt(next[name] ?? "0") && offset < end) {
            taken.push(readRecord(topic, batch.partition, message))
            bytes += message.value?.byteLength ?? 0
            next[name] = String(offset + 1n)
          }
          if (offset + 1n >= end) {
            next[name] = String(end)
            left.delete(name)
          }
          resolveOffset(message.offset)
        }
        progress++
        if (left.size === 0 || taken.length >= maxRecords || bytes >= maxBytes) resolve()
      }

      try {
        await consumer.connect()
        await consumer.subscribe({ topics: [topic], fromBeginning: true })
        await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })
        // What has crashed while it joined can no longer seek, and would hide why.
        await Promise.race([over, undefined])
        for (const name of left) {
          consumer.seek({ topic, partition: Number(name), offset: next[name] ?? "0" })
        }
        for (let seen = -1; seen !== progress; ) {
          seen = progress
          if ((await withinDeadline(over, deadlineMs, "late")) !== "late") return taken
        }
        // What was read is whole as far as `next` says.
        if (taken.length > 0) return taken
        throw new Error(`nothing came within ${deadlineMs} ms`)
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
        // An empty group would be forgotten by the broker too, only later.
        await admin.deleteGroups([group]).catch(() => {})
      }
    }
  })
}

/** Where each partition of the topic ends now. Rejects where the broker does not answer or there is no such topic. */
export function topicEnd({ kafka, topic }: { kafka: KafkaConnection; topic: string }): Promise<Offsets> {
  return withAdmin(kafka, adminTimeoutMs, async (admin) => {
    const places = await admin.fetchTopicOffsets(topic)
    return Object.fromEntries(places.map(({ partition, high }) => [String(partition), high]))
  })
}
