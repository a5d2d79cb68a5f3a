import type { Admin } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { isProtocolError } from "../client/isProtocolError.ts"
import { quietLog } from "../client/log.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import { createBrokerConnections } from "../producer/brokerConnections.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { withAdmin } from "./withAdmin.ts"

export type PartitionBacklog = {
  partition: number
  records: number
  /** How many records the group has not committed. Null: no group consumes the topic. */
  lag: number | null
  /** The timestamp of the first of them. Null: there is none, or it could not be read. */
  oldestUnreadAt: Date | null
}

/** `partitions` is null if the topic does not exist. */
export type TopicBacklog = { topic: string; partitions: PartitionBacklog[] | null }

type Consumed = { topic: string; group: string | null }

const requestTimeoutMs = 3_000

/** Rejects if no broker responds, or if reading takes longer than `deadlineMs`. */
export async function readBacklog(
  connection: KafkaConnection,
  topics: readonly Consumed[],
  deadlineMs: number,
): Promise<TopicBacklog[]> {
  const kafka = { ...connection, log: quietLog(connection.log) }
  const read = await withinDeadline(readAll(kafka, topics), deadlineMs, null)
  if (read === null) throw new Error(`Kafka did not respond completely within ${deadlineMs} ms`)
  return read
}

async function readAll(kafka: KafkaConnection, topics: readonly Consumed[]): Promise<TopicBacklog[]> {
  const positions = await withAdmin(kafka, requestTimeoutMs, async (admin) => {
    const found: { topic: string; partitions: Position[] | null }[] = []
    for (const consumed of topics) {
      found.push({ topic: consumed.topic, partitions: await readPositions(admin, consumed) })
    }
    return found
  })
  const unread = positions.flatMap(({ topic, partitions }) => {
    const behind = partitions?.filter(({ next, high }) => next !== null && next < high) ?? []
    return behind.length === 0 ? [] : [{ topic, partitions: behind }]
  })
  const oldest = await readTimestamps(kafka, unread)
  return positions.map(({ topic, partitions }) => ({
    topic,
    partitions:
      partitions?.map(({ partition, low, high, next }) => ({
        partition,
        records: Number(high - low),
        lag: next === null ? null : Number(high - next),
        oldestUnreadAt: oldest.get(`${topic}/${partition}`) ?? null,
      })) ?? null,
  }))
}

/** `next`: the offset of the first record that the group has not committed. */
type Position = { partition: number; low: bigint; high: bigint; next: bigint | null }

async function readPositions(admin: Admin, { topic, group }: Consumed): Promise<Position[] | null> {
  try {
    const offsets = await admin.fetchTopicOffsets(topic)
    const committed = group === null ? null : await fetchCommittedOffsets(admin, group, topic)
    return offsets
      .map(({ partition, low, high }) => {
        const [first, end] = [BigInt(low), BigInt(high)]
        const reached = committed?.get(partition) ?? -1n
        // After a loss of records, the committed offset can be behind the end.
        const next = reached < first ? first : reached > end ? end : reached
        return { partition, low: first, high: end, next: committed === null ? null : next }
      })
      .toSorted((a, b) => a.partition - b.partition)
  } catch (error) {
    if (isProtocolError(error, "UNKNOWN_TOPIC_OR_PARTITION")) return null
    throw error
  }
}

/** The timestamps of the first unread records, by `topic/partition`, with one request to each leader of a topic. */
async function readTimestamps(
  kafka: KafkaConnection,
  unread: { topic: string; partitions: Position[] }[],
): Promise<Map<string, Date>> {
  const timestamps = new Map<string, Date>()
  if (unread.length === 0) return timestamps
  const connections = createBrokerConnections(kafka, { requestTimeoutMs, retries: 2 })
  try {
    await connections.connect()
    for (const { topic, partitions } of unread) {
      const metadata = await connections.readMetadata(topic)
      const leaders = "leaders" in metadata ? metadata.leaders : []
      for (const [leader, led] of Map.groupBy(leaders, (each) => each.leader)) {
        const ids = new Set(led.map(({ partition }) => partition))
        const offsets = partitions.flatMap(({ partition, next }) =>
          next !== null && ids.has(partition) ? [{ partition, offset: next }] : [],
        )
        if (leader === null || offsets.length === 0) continue
        // A partition whose leader does not respond has no timestamp; its lag is known nevertheless.
        const records = await connections.fetchFirst(leader, topic, offsets).catch(() => [])
        for (const { partition, timestamp } of records) {
          timestamps.set(`${topic}/${partition}`, timestamp)
        }
      }
    }
    return timestamps
  } finally {
    await connections.disconnect().catch(() => {})
  }
}
