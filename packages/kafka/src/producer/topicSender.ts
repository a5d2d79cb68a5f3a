import { reasonOf } from "../client/log.ts"
import { withinDeadline } from "../withinDeadline.ts"
import type { BrokerConnections, TopicMetadata } from "./brokerConnections.ts"
import {
  type Batch,
  createPartitionQueues,
  type PartitionQueue,
  type QueuedRecord,
} from "./partitionQueues.ts"
import {
  explainError,
  isSizeError,
  permanentError,
  rejectionScope,
  rejectionsOfTopic,
} from "./publishErrors.ts"
import type { BrokerError } from "./sendRequest.ts"
import { describeTopic, hasAcknowledgedLately, isKnownAvailable, type TopicState } from "./topicState.ts"

const firstRefreshMs = 50
const longestRefreshMs = 500
/** Older metadata is read again, so that new partitions of the topic receive records. */
const metadataMaxAgeMs = 300_000

/** Errors that reading metadata again resolves. */
const leadershipErrors = ["NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"]

export type TopicSender = {
  add(record: QueuedRecord): void
  flush(): void
  check(withinMs: number): Promise<TopicState>
  disconnect(): Promise<void>
}

export type SenderSettings = {
  lingerMs: number
  maxBatchRecords: number
  maxBatchBytes: number
  requestTimeoutMs: number
}

/**
 * Sends one request at a time to each leader, so that a partition's records stay in order. A partition
 * without a leader, or with rejected records, delays no other partition.
 */
export function createTopicSender(
  topic: string,
  brokers: BrokerConnections,
  settings: SenderSettings,
): TopicSender {
  const { lingerMs, requestTimeoutMs } = settings
  const queues = createPartitionQueues(settings)
  const { partitions } = queues
  const sendingTo = new Set<number>()
  let lingerTimer: NodeJS.Timeout | null = null
  let sendImmediate: NodeJS.Immediate | null = null
  let refreshTimer: NodeJS.Timeout | null = null
  let refreshing: Promise<void> | null = null
  let refreshedAt = Number.NEGATIVE_INFINITY
  let refreshFailures = 0
  let topicFailure: string | null = null
  /** Since the last acknowledgement of any partition. */
  let rejectedInARow = 0
  let lingers = true
  let closed = false

  const isSendable = ({ leader, waiting, sending }: PartitionQueue) =>
    leader !== null && waiting.length > 0 && !sending && !sendingTo.has(leader)

  function schedule(): void {
    if (sendImmediate) return
    const full = queues.fillsRequest()
    if (lingerTimer && !full && lingers) return
    let oldest = queues.unassigned()[0]?.queuedAt ?? Number.POSITIVE_INFINITY
    for (const partition of partitions.values())
      if (isSendable(partition)) oldest = Math.min(oldest, partition.waiting[0]?.queuedAt ?? oldest)
    if (oldest === Number.POSITIVE_INFINITY) {
      refreshIfNeeded()
      return
    }
    const waitMs = full || !lingers ? 0 : oldest + lingerMs - performance.now()
    if (waitMs > 0) {
      lingerTimer ??= setTimeout(sendWaiting, waitMs)
    } else {
      // Deferred, so that records published in the same turn of the event loop share the request.
      sendImmediate = setImmediate(sendWaiting)
    }
  }

  function sendWaiting(): void {
    if (lingerTimer) clearTimeout(lingerTimer)
    lingerTimer = null
    sendImmediate = null
    for (const { leader, waiting } of queues.order()) {
      if (leader === null || waiting.length === 0 || sendingTo.has(leader)) continue
      const batch = queues.takeBatch(leader)
      if (batch.length > 0) void send(leader, batch)
    }
    refreshIfNeeded()
  }

  async function send(leader: number, batch: Batch): Promise<void> {
    sendingTo.add(leader)
    for (const { partition } of batch) partition.sending = true
    try {
      const requests = batch.map(({ partition, records }) => ({
        partition: partition.id,
        messages: records.map(({ message }) => message),
      }))
      const outcomes = await brokers.produce(leader, topic, requests, requestTimeoutMs)
      for (const { partition, records } of batch) {
        const error = outcomes.get(partition.id)
        if (error === null) acknowledge(partition, records)
        else if (error === undefined) retryLater(partition, records, "the broker did not acknowledge it")
        else handleError(partition, records, error)
      }
    } catch (error) {
      for (const { partition, records } of batch) retryLater(partition, records, reasonOf(error))
    }
    sendingTo.delete(leader)
    for (const { partition } of batch) partition.sending = false
    schedule()
    refreshIfNeeded()
  }

  function acknowledge(partition: PartitionQueue, records: QueuedRecord[]): void {
    partition.failures = 0
    partition.failure = null
    partition.acknowledgedAt = performance.now()
    topicFailure = null
    rejectedInARow = 0
    // Raises the limit again if `handleError` halved it. Normally it is Infinity.
    partition.maxRecords *= 2
    for (const { call } of records) call.acknowledge()
  }

  function handleError(partition: PartitionQueue, records: QueuedRecord[], brokerError: BrokerError): void {
    const { type } = brokerError
    const why = explainError(brokerError)
    const scope = rejectionScope(type)
    if (scope === null) {
      retryLater(partition, records, why, !leadershipErrors.includes(type))
    } else if (scope === "record" && records.length > 1) {
      // One faulty record makes the broker reject all records of its partition in a request. Halve them to
      // isolate it.
      partition.maxRecords = Math.ceil(records.length / 2)
      queues.putBack(partition, records)
    } else {
      if (!isSizeError(type)) rejectedInARow += 1
      if (scope === "topic" || rejectedInARow >= rejectionsOfTopic)
        partition.failure = { why, at: performance.now(), byLeader: true }
      const error = permanentError(topic, type, why, scope)
      for (const { call } of records) call.reject(error)
    }
  }

  function retryLater(
    partition: PartitionQueue,
    records: QueuedRecord[],
    why: string,
    byLeader = false,
  ): void {
    queues.putBack(partition, records)
    partition.failures += 1
    partition.failure = { why, at: performance.now(), byLeader }
    partition.leader = null
    for (const { call } of partition.waiting) call.why = why
  }

  function refreshIfNeeded(): void {
    if (refreshing || refreshTimer || closed) return
    const blocked = [...partitions.values()].filter(
      ({ leader, waiting }) => leader === null && waiting.length > 0,
    )
    const isOld = queues.waitingRecords() > 0 && performance.now() - refreshedAt > metadataMaxAgeMs
    if (blocked.length === 0 && queues.unassigned().length === 0 && !isOld) return
    const fewestFailures = blocked.length === 0 ? 0 : Math.min(...blocked.map(({ failures }) => failures))
    const tries = Math.max(refreshFailures, fewestFailures)
    const waitMs = tries === 0 ? 0 : Math.min(longestRefreshMs, firstRefreshMs * 2 ** (tries - 1))
    refreshTimer = setTimeout(() => {
      refreshTimer = null
      queues.dropSettled()
      if (queues.waitingRecords() > 0) void refresh()
    }, waitMs)
  }

  function refresh(): Promise<void> {
    refreshing ??= (async () => {
      await brokers.readMetadata(topic).then(applyMetadata, (error) => failTopic(reasonOf(error)))
      refreshing = null
      schedule()
      refreshIfNeeded()
    })()
    return refreshing
  }

  function failTopic(why: string): void {
    refreshFailures += 1
    topicFailure = why
    for (const { call } of queues.withoutLeader()) call.why = why
  }

  function applyMetadata(metadata: TopicMetadata): void {
    if ("error" in metadata) {
      const { type, message } = metadata.error
      for (const partition of partitions.values()) partition.leader = null
      failTopic(type === "UNKNOWN_TOPIC_OR_PARTITION" ? `the topic ${topic} does not exist` : message)
      const scope = rejectionScope(type)
      if (scope) queues.rejectAll(permanentError(topic, type, message, scope))
      return
    }
    refreshFailures = 0
    topicFailure = null
    refreshedAt = performance.now()
    queues.applyLeaders(metadata.leaders)
  }

  async function check(withinMs: number): Promise<TopicState> {
    const all = [...partitions.values()]
    const leaders = new Set(all.flatMap(({ leader }) => (leader === null ? [] : [leader])))
    if (isKnownAvailable(all, leaders)) return { status: "available" }

    const unresponsive = new Map<number, string>()
    const reading = [...leaders].map(async (leader) => {
      const read = brokers.readMetadataFrom(leader, topic)
      const result = await withinDeadline(read, withinMs, `no response within ${withinMs} ms`).catch(reasonOf)
      if (typeof result !== "string") return result
      // A leader that has acknowledged records lately is only busy.
      if (!hasAcknowledgedLately(all, leader)) unresponsive.set(leader, `broker ${leader}: ${result}`)
      return null
    })
    const metadata = (await Promise.all(reading)).find((result) => result !== null)
    if (metadata) applyMetadata(metadata)
    const isUnknown = ({ leader }: PartitionQueue) => leader !== null && !brokers.isKnown(leader)
    const noneResponds = leaders.size === unresponsive.size
    if ((!metadata && noneResponds) || [...partitions.values()].some(isUnknown)) {
      const outcome = await withinDeadline(refresh(), withinMs, "late")
      if (outcome === "late")
        return { status: "unavailable", why: `no broker responded within ${withinMs} ms` }
    }
    schedule()
    return describeTopic([...partitions.values()], topicFailure, unresponsive)
  }

  return {
    add(record) {
      queues.add(record)
      schedule()
    },
    flush() {
      lingers = false
      schedule()
    },
    check,
    async disconnect() {
      closed = true
      for (const timer of [lingerTimer, refreshTimer]) if (timer) clearTimeout(timer)
      await brokers.disconnect()
    },
  }
}
