import { reasonOf } from "../client/log.ts"
import { withinDeadline } from "../withinDeadline.ts"
import type { BrokerConnections, TopicMetadata } from "./brokerConnections.ts"
import type { PartitionQueue } from "./partitionQueue.ts"
import type { PartitionQueues } from "./partitionQueues.ts"
import { permanentError, rejectionScope } from "./publishErrors.ts"
import { describeTopic, hasAcknowledgedLately, isKnownAvailable, type TopicState } from "./topicState.ts"

const firstRefreshMs = 50
const longestRefreshMs = 500
/** Older metadata is read again, so that new partitions of the topic receive records. */
const metadataMaxAgeMs = 300_000

/** Reads a topic's metadata while records wait for a leader, and gives each queue the leader of its partition. */
export function followLeaders(
  topic: string,
  brokers: BrokerConnections,
  queues: PartitionQueues,
  onRead: () => void,
) {
  const { partitions } = queues
  let timer: NodeJS.Timeout | null = null
  let reading: Promise<void> | null = null
  let readAt = Number.NEGATIVE_INFINITY
  let failures = 0
  let failure: string | null = null
  let stopped = false

  function refreshIfNeeded(): void {
    if (reading || timer || stopped) return
    const blocked = [...partitions.values()].filter(
      ({ leader, waiting }) => leader === null && waiting.length > 0,
    )
    const isOld = queues.waitingRecords() > 0 && performance.now() - readAt > metadataMaxAgeMs
    if (blocked.length === 0 && queues.unassigned().length === 0 && !isOld) return
    const fewestFailures = blocked.length === 0 ? 0 : Math.min(...blocked.map(({ failures }) => failures))
    const tries = Math.max(failures, fewestFailures)
    const waitMs = tries === 0 ? 0 : Math.min(longestRefreshMs, firstRefreshMs * 2 ** (tries - 1))
    timer = setTimeout(() => {
      timer = null
      queues.dropSettled()
      if (queues.waitingRecords() > 0) void refresh()
    }, waitMs)
  }

  function refresh(): Promise<void> {
    reading ??= (async () => {
      await brokers.readMetadata(topic).then(applyMetadata, (error) => failTopic(reasonOf(error)))
      reading = null
      onRead()
      refreshIfNeeded()
    })()
    return reading
  }

  function failTopic(why: string): void {
    failures += 1
    failure = why
    for (const { call } of queues.withoutLeader()) call.why = why
  }

  function applyMetadata(metadata: TopicMetadata): void {
    if ("error" in metadata) {
      const { type, message } = metadata.error
      for (const partition of partitions.values()) partition.leader = null
      failTopic(type === "UNKNOWN_TOPIC_OR_PARTITION" ? `the topic ${topic} does not exist` : message)
      const scope = rejectionScope(type)
      if (!scope) return
      const error = permanentError(topic, type, message, scope)
      for (const { call } of queues.withoutLeader()) call.reject(error)
      queues.dropSettled()
      return
    }
    failures = 0
    failure = null
    readAt = performance.now()
    queues.applyLeaders(metadata.leaders)
  }

  async function check(withinMs: number): Promise<TopicState> {
    const all = [...partitions.values()]
    const leaders = new Set(all.flatMap(({ leader }) => (leader === null ? [] : [leader])))
    if (isKnownAvailable(all, leaders)) return { status: "available" }

    const unresponsive = new Map<number, string>()
    const reads = [...leaders].map(async (leader) => {
      const read = brokers.readMetadataFrom(leader, topic)
      const result = await withinDeadline(read, withinMs, `no response within ${withinMs} ms`).catch(reasonOf)
      if (typeof result !== "string") return result
      // A leader that has acknowledged records lately is only busy.
      if (!hasAcknowledgedLately(all, leader)) unresponsive.set(leader, `broker ${leader}: ${result}`)
      return null
    })
    const metadata = (await Promise.all(reads)).find((result) => result !== null)
    if (metadata) applyMetadata(metadata)
    const isUnknown = ({ leader }: PartitionQueue) => leader !== null && !brokers.isKnown(leader)
    const noneResponds = leaders.size === unresponsive.size
    if ((!metadata && noneResponds) || [...partitions.values()].some(isUnknown)) {
      const outcome = await withinDeadline(refresh(), withinMs, "late")
      if (outcome === "late")
        return { status: "unavailable", why: `no broker responded within ${withinMs} ms` }
    }
    onRead()
    return describeTopic([...partitions.values()], failure, unresponsive)
  }

  return {
    refreshIfNeeded,
    check,
    /** A broker has acknowledged records. */
    confirm(): void {
      failure = null
    },
    stop(): void {
      stopped = true
      if (timer) clearTimeout(timer)
    },
  }
}
