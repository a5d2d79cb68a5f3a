import type { KafkaConnection } from "../client/connectKafka.ts"
import { quietLog, reasonOf } from "../client/log.ts"
import { fetchCommittedOffsets } from "../client/workarounds/fetchOffsetsOmitsTopics.ts"
import {
  type BrokerConnections,
  createBrokerConnections,
  type Leaders,
} from "../producer/brokerConnections.ts"
import type { FetchPosition } from "../producer/fetchRecords.ts"
import type { OffsetRange, Unreadable } from "../producer/listOffsets.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { withAdmin } from "./withAdmin.ts"

export type PartitionBacklog = {
  partition: number
  records: number
  /** How many records the group has not committed, also those behind an open transaction. Null: no group consumes the topic. */
  lag: number | null
  /** The timestamp of the first of them. Null: there is none, or it could not be read. */
  oldestUnreadAt: Date | null
  openTransaction: OpenTransaction | null
}

/** The oldest open transaction of a partition. Until it ends, consumers get neither its records nor the later ones. */
export type OpenTransaction = {
  /** Of its first record. */
  offset: string
  /** The timestamp of that record. Null: it could not be read. */
  since: Date | null
  /** How many records wait for its end. */
  records: number
}

/** `partitions` is null if the topic does not exist. `unreadable`: the other partitions, such as those without a leader. */
export type TopicBacklog = {
  topic: string
  /** How many consumers the group has. Null: there is no such group. */
  members: number | null
  partitions: PartitionBacklog[] | null
  unreadable: Unreadable[]
}

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
  const connections = createBrokerConnections(kafka, { requestTimeoutMs, retries: 2 })
  try {
    await connections.connect()
    const known: (Consumed & { leaders: Leaders })[] = []
    for (const consumed of topics) {
      const leaders = await readLeaders(connections, consumed.topic)
      if (leaders !== null) known.push({ ...consumed, leaders })
    }
    const groups = await readGroups(kafka, known)
    // At once, because each waits for a leader that does not respond.
    const backlogs = await Promise.all(
      known.map(async ({ topic, leaders }) => {
        const { committed = null, members = null } = groups.get(topic) ?? {}
        return { topic, members, ...(await readTopic(connections, topic, leaders, committed)) }
      }),
    )
    const byTopic = new Map(backlogs.map((backlog) => [backlog.topic, backlog]))
    return topics.map(
      ({ topic }) => byTopic.get(topic) ?? { topic, members: null, partitions: null, unreadable: [] },
    )
  } finally {
    await connections.disconnect().catch(() => {})
  }
}

type Committed = Map<number, bigint>

/** The offsets that the groups have committed, and how many members they have, by topic. */
function readGroups(
  kafka: KafkaConnection,
  topics: readonly Consumed[],
): Promise<Map<string, { committed: Committed; members: number | null }>> {
  return withAdmin(kafka, requestTimeoutMs, async (admin) => {
    const names = [...new Set(topics.flatMap(({ group }) => group ?? []))]
    const described = names.length > 0 ? (await admin.describeGroups(names)).groups : []
    const existing = described.filter(({ state }) => state !== "Dead")
    const members = new Map(existing.map((group) => [group.groupId, group.members.length]))
    const groups = new Map<string, { committed: Committed; members: number | null }>()
    for (const { topic, group } of topics) {
      if (group === null) continue
      const committed = await fetchCommittedOffsets(admin, group, topic)
      groups.set(topic, { committed, members: members.get(group) ?? null })
    }
    return groups
  })
}

/** Null: the topic does not exist. */
async function readLeaders(connections: BrokerConnections, topic: string): Promise<Leaders | null> {
  const metadata = await connections.readMetadata(topic)
  if ("leaders" in metadata) return metadata.leaders
  if (metadata.error.type === "UNKNOWN_TOPIC_OR_PARTITION") return null
  throw new Error(`The partitions of ${topic} cannot be read: ${metadata.error.message}`)
}

async function readTopic(
  connections: BrokerConnections,
  topic: string,
  leaders: Leaders,
  committed: Committed | null,
): Promise<Pick<TopicBacklog, "partitions" | "unreadable">> {
  const read = [...Map.groupBy(leaders, ({ leader }) => leader)].map(([leader, led]) =>
    readFromLeader(connections, topic, leader, led, committed),
  )
  const backlogs = await Promise.all(read)
  return {
    partitions: backlogs.flatMap(({ partitions }) => partitions).toSorted(byPartition),
    unreadable: backlogs.flatMap(({ unreadable }) => unreadable).toSorted(byPartition),
  }
}

const byPartition = (a: { partition: number }, b: { partition: number }) => a.partition - b.partition

async function readFromLeader(
  connections: BrokerConnections,
  topic: string,
  leader: number | null,
  led: Leaders,
  committed: Committed | null,
): Promise<{ partitions: PartitionBacklog[]; unreadable: Unreadable[] }> {
  const ids = led.map(({ partition }) => partition)
  const allUnreadable = (why: string) => ids.map((partition) => ({ partition, why }))
  if (leader === null) return { partitions: [], unreadable: allUnreadable("it has no leader") }
  const read = await connections
    .listOffsets(leader, topic, ids)
    .catch((error: unknown) => ({ ranges: [], unreadable: allUnreadable(reasonOf(error)) }))
  const ranges = read.ranges.map((range) => ({ ...range, next: firstUnread(range, committed) }))
  const unread = ranges.flatMap(({ partition, high, next }) =>
    next !== null && next < high ? [{ partition, offset: next }] : [],
  )
  const open = ranges.flatMap(({ partition, stable, high }) =>
    stable < high ? [{ partition, offset: stable }] : [],
  )
  const [unreadSince, openSince] = [await timesAt(unread), await timesAt(open)]
  const partitions = ranges.map(({ partition, low, stable, high, next }) => ({
    partition,
    records: Number(high - low),
    lag: next === null ? null : Number(high - next),
    oldestUnreadAt: unreadSince.get(partition) ?? null,
    openTransaction:
      stable < high
        ? {
            offset: String(stable),
            since: openSince.get(partition) ?? null,
            records: Number(high - stable),
          }
        : null,
  }))
  return { partitions, unreadable: read.unreadable }

  /** The timestamps of the first records at these offsets or later. */
  async function timesAt(positions: FetchPosition[]): Promise<Map<number, Date | null>> {
    if (leader === null || positions.length === 0) return new Map()
    const options = { maxBytes: 64 * 1024, uncommitted: true }
    const fetched = await connections.fetchRecords(leader, topic, positions, options).catch(() => [])
    return new Map(fetched.map(({ partition, firstAt }) => [partition, firstAt]))
  }
}

/** The offset of the first record that the group has not committed. Null: there is no group. */
function firstUnread({ partition, low, high }: OffsetRange, committed: Committed | null): bigint | null {
  if (committed === null) return null
  const reached = committed.get(partition) ?? -1n
  // After a loss of records, the committed offset can be behind the end.
  return reached < low ? low : reached > high ? high : reached
}
