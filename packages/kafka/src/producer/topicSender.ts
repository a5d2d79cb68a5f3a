import { reasonOf } from "../client/log.ts"
import type { BrokerConnections } from "./brokerConnections.ts"
import { followLeaders } from "./followLeaders.ts"
import { acknowledge, markFailed, type PartitionQueue, type QueuedRecord } from "./partitionQueue.ts"
import { type BatchPart, createPartitionQueues } from "./partitionQueues.ts"
import {
  explainError,
  isSizeError,
  permanentError,
  rejectionScope,
  rejectionsOfTopic,
} from "./publishErrors.ts"
import type { BrokerError } from "./sendRequest.ts"

/** Errors that reading metadata again resolves. */
const leadershipErrors = ["NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"]

export type TopicSender = ReturnType<typeof createTopicSender>

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
export function createTopicSender(topic: string, brokers: BrokerConnections, settings: SenderSettings) {
  const { lingerMs, requestTimeoutMs } = settings
  const queues = createPartitionQueues(settings)
  const leaders = followLeaders(topic, brokers, queues, schedule)
  const sendingTo = new Set<number>()
  let lingerTimer: NodeJS.Timeout | null = null
  let sendImmediate: NodeJS.Immediate | null = null
  /** Since the last acknowledgement of any partition. */
  let rejectedInARow = 0
  let lingers = true

  const isSendable = ({ leader, waiting, sending }: PartitionQueue) =>
    leader !== null && waiting.length > 0 && !sending && !sendingTo.has(leader)

  function schedule(): void {
    if (sendImmediate) return
    const full = queues.fillsRequest()
    if (lingerTimer && !full && lingers) return
    let oldest = queues.unassigned()[0]?.queuedAt ?? Number.POSITIVE_INFINITY
    for (const partition of queues.partitions.values())
      if (isSendable(partition)) oldest = Math.min(oldest, partition.waiting[0]?.queuedAt ?? oldest)
    const waitMs = full || !lingers ? 0 : oldest + lingerMs - performance.now()
    if (oldest === Number.POSITIVE_INFINITY) leaders.refreshIfNeeded()
    else if (waitMs > 0) lingerTimer ??= setTimeout(sendWaiting, waitMs)
    // Deferred, so that records published in the same turn of the event loop share the request.
    else sendImmediate = setImmediate(sendWaiting)
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
    leaders.refreshIfNeeded()
  }

  async function send(leader: number, batch: BatchPart[]): Promise<void> {
    sendingTo.add(leader)
    for (const { partition } of batch) partition.sending = true
    try {
      const requests = batch.map(({ partition, records }) => ({
        partition: partition.id,
        messages: records.map(({ message }) => message),
      }))
      const outcomes = await brokers.produce(leader, topic, requests, requestTimeoutMs)
      for (const part of batch) {
        const error = outcomes.get(part.partition.id)
        if (error) handleError(part, error)
        else if (error === null) handleAcknowledgement(part)
        else retryLater(part, "the broker did not acknowledge it")
      }
    } catch (error) {
      for (const part of batch) retryLater(part, reasonOf(error))
    }
    sendingTo.delete(leader)
    for (const { partition } of batch) partition.sending = false
    schedule()
    leaders.refreshIfNeeded()
  }

  function handleAcknowledgement({ partition, records }: BatchPart): void {
    leaders.confirm()
    rejectedInARow = 0
    acknowledge(partition, records)
  }

  function handleError(part: BatchPart, brokerError: BrokerError): void {
    const { type } = brokerError
    const { partition, records } = part
    const why = explainError(brokerError)
    const scope = rejectionScope(type)
    if (scope === null) {
      retryLater(part, why, !leadershipErrors.includes(type))
    } else if (scope === "record" && records.length > 1) {
      // One faulty record makes the broker reject all records of its partition in a request. Halve them to
      // isolate it.
      partition.maxRecords = Math.ceil(records.length / 2)
      queues.putBack(part)
    } else {
      if (!isSizeError(type)) rejectedInARow += 1
      if (scope === "topic" || rejectedInARow >= rejectionsOfTopic)
        partition.failure = { why, at: performance.now(), byLeader: true }
      const error = permanentError(topic, type, why, scope)
      for (const { call } of records) call.reject(error)
    }
  }

  function retryLater(part: BatchPart, why: string, byLeader = false): void {
    queues.putBack(part)
    markFailed(part.partition, why, byLeader)
  }

  return {
    add(record: QueuedRecord): void {
      queues.add(record)
      schedule()
    },
    flush(): void {
      lingers = false
      schedule()
    },
    check: leaders.check,
    async disconnect(): Promise<void> {
      if (lingerTimer) clearTimeout(lingerTimer)
      leaders.stop()
      await brokers.disconnect()
    },
  }
}
