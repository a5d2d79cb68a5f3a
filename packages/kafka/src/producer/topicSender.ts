import type { Message } from "kafkajs"
import type { BrokerError, BrokerPool, TopicMetadata } from "./brokerConnections.ts"
import { createPartitionChooser } from "./choosePartition.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { reasonOf } from "../client/log.ts"
import { refusalScope, refused } from "./publishErrors.ts"

const firstPauseMs = 50
const longestPauseMs = 500
/** New partitions of a topic get records after this time. */
const metadataMaxAgeMs = 300_000
/** Acknowledgements so new need no request to confirm them. */
const freshMs = 1_000
/** How long a failed request counts against its topic while no metadata explains it. */
const distrustMs = 3_000

/** Errors of one partition, which the next metadata explains. */
const aboutLeadership = ["NOT_LEADER_FOR_PARTITION", "LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"]

/** The caller of a record. `why` is the last reason for which one of its records was not appended. */
export type Call = {
  settled: boolean
  why: string | null
  acknowledge(): void
  reject(error: Error): void
}
type Queued = { message: Message; bytes: number; since: number; call: Call }

type Partition = {
  id: number
  /** Null while there is none, or after a failure until the metadata is read again. */
  leader: number | null
  waiting: Queued[]
  sending: boolean
  /** Of one request. Lowered to find the records that the broker refuses among others. */
  maxRecords: number
  failures: number
  /** `byLeader`: the leader responded, and refused for a reason that other partitions may share. */
  failure: { why: string; at: number; byLeader: boolean } | null
  acknowledgedAt: number
}
type Batch = { partition: Partition; records: Queued[] }[]

/**
 * What is known of a topic. `partial`: these of its partitions accept no records. `responds`: leaders respond, and only
 * what was published lately failed. `why` is for operators.
 */
export type TopicState =
  | { status: "available" }
  | { status: "partial"; unavailable: number[]; partitions: number; why: string }
  | { status: "unavailable"; responds: boolean; why: string }

export type TopicSender = {
  add(record: Queued): void
  /** Sends what waits without waiting for more. */
  hurry(): void
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
 * Publishes to one topic: a queue for each partition, and one request at a time to each broker that leads some of them, so
 * that records of a partition keep their order and what arrives meanwhile shares the next request. A partition without a
 * leader, or whose records are refused, delays no other.
 */
export function createTopicSender(topic: string, pool: BrokerPool, settings: SenderSettings): TopicSender {
  const { lingerMs, maxBatchRecords, maxBatchBytes, requestTimeoutMs } = settings
  const partitions = new Map<number, Partition>()
  /** In which they get space in a request. */
  let order: Partition[] = []
  const choosePartition = createPartitionChooser()
  /** Until the topic's partitions are known. */
  let unplaced: Queued[] = []
  const sendingTo = new Set<number>()
  let waitingRecords = 0
  let waitingBytes = 0
  let lingering: NodeJS.Timeout | null = null
  let flushing: NodeJS.Immediate | null = null
  let refreshTimer: NodeJS.Timeout | null = null
  let refreshing: Promise<void> | null = null
  let refreshedAt = Number.NEGATIVE_INFINITY
  let refreshFailures = 0
  let topicFailure: string | null = null
  let lingers = true
  let closed = false

  function place(record: Queued): void {
    const { message } = record
    if (message.partition === undefined) {
      const available = [...partitions.values()].flatMap(({ id, leader }) => (leader === null ? [] : [id]))
      message.partition = choosePartition(message.key ?? null, partitions.size, available)
    }
    const partition = partitions.get(message.partition)
    if (partition) partition.waiting.push(record)
    else unplaced.push(record)
  }

  function add(record: Queued): void {
    waitingRecords += 1
    waitingBytes += record.bytes
    if (partitions.size > 0) place(record)
    else unplaced.push(record)
    schedule()
  }

  const isSendable = ({ leader, waiting, sending }: Partition) =>
    leader !== null && waiting.length > 0 && !sending && !sendingTo.has(leader)

  function schedule(): void {
    if (flushing) return
    const full = waitingRecords >= maxBatchRecords || waitingBytes >= maxBatchBytes
    if (lingering && !full && lingers) return
    let oldest = unplaced[0]?.since ?? Number.POSITIVE_INFINITY
    for (const partition of partitions.values())
      if (isSendable(partition)) oldest = Math.min(oldest, partition.waiting[0]?.since ?? oldest)
    if (oldest === Number.POSITIVE_INFINITY) {
      refreshIfNeeded()
      return
    }
    const waitMs = full || !lingers ? 0 : oldest + lingerMs - Date.now()
    if (waitMs > 0) {
      lingering ??= setTimeout(flush, waitMs)
    } else {
      // Not at once: what is published in the same turn shares the request.
      flushing = setImmediate(flush)
    }
  }

  function flush(): void {
    if (lingering) clearTimeout(lingering)
    lingering = null
    flushing = null
    for (const { leader, waiting } of order) {
      if (leader === null || waiting.length === 0 || sendingTo.has(leader)) continue
      const batch = takeBatch(leader)
      if (batch.length > 0) void send(leader, batch)
    }
    refreshIfNeeded()
  }

  /** The records that fit into a request to this leader; records whose caller has been answered are dropped. */
  function takeBatch(leader: number): Batch {
    const batch: Batch = []
    let count = 0
    let bytes = 0
    for (const partition of order) {
      if (partition.leader !== leader || partition.sending || partition.waiting.length === 0) continue
      const records: Queued[] = []
      let end = 0
      for (const record of partition.waiting) {
        if (!record.call.settled) {
          if (count >= maxBatchRecords || records.length >= partition.maxRecords) break
          if (bytes + record.bytes > maxBatchBytes) break
          records.push(record)
          count += 1
          bytes += record.bytes
        }
        waitingBytes -= record.bytes
        end += 1
      }
      waitingRecords -= end
      partition.waiting.splice(0, end)
      if (records.length > 0) batch.push({ partition, records })
    }
    if (count >= maxBatchRecords || bytes >= maxBatchBytes / 2) {
      // The next request begins with the partitions for which this one had no space.
      const served = new Set(batch.map(({ partition }) => partition))
      order = [...order.filter((partition) => !served.has(partition)), ...served]
    }
    return batch
  }

  async function send(leader: number, batch: Batch): Promise<void> {
    sendingTo.add(leader)
    for (const { partition } of batch) partition.sending = true
    try {
      const requests = batch.map(({ partition, records }) => ({
        partition: partition.id,
        messages: records.map(({ message }) => message),
      }))
      const outcomes = await pool.append(leader, topic, requests, requestTimeoutMs)
      for (const { partition, records } of batch) {
        const error = outcomes.get(partition.id)
        if (error === null) acknowledge(partition, records)
        else if (error === undefined) postpone(partition, records, "the broker did not acknowledge it")
        else refuse(partition, records, error)
      }
    } catch (error) {
      for (const { partition, records } of batch) postpone(partition, records, reasonOf(error))
    }
    sendingTo.delete(leader)
    for (const { partition } of batch) partition.sending = false
    schedule()
    refreshIfNeeded()
  }

  function acknowledge(partition: Partition, records: Queued[]): void {
    partition.failures = 0
    partition.failure = null
    partition.acknowledgedAt = performance.now()
    topicFailure = null
    // Found again soon where the broker refuses large batches, and forgotten where it refused one record.
    partition.maxRecords *= 2
    for (const { call } of records) call.acknowledge()
  }

  function refuse(partition: Partition, records: Queued[], { type, message }: BrokerError): void {
    const scope = refusalScope(type)
    if (scope === null) {
      postpone(partition, records, message, !aboutLeadership.includes(type))
    } else if (scope === "record" && records.length > 1) {
      // The broker refuses a partition's records together. In halves, so that only the refused ones are rejected.
      partition.maxRecords = Math.ceil(records.length / 2)
      putBack(partition, records)
    } else {
      if (scope === "topic") partition.failure = { why: message, at: performance.now(), byLeader: true }
      const error = refused(topic, type, message, scope)
      for (const { call } of records) call.reject(error)
    }
  }

  /** To be sent again once the metadata has been read anew. */
  function postpone(partition: Partition, records: Queued[], why: string, byLeader = false): void {
    putBack(partition, records)
    partition.failures += 1
    partition.failure = { why, at: performance.now(), byLeader }
    partition.leader = null
    for (const { call } of partition.waiting) call.why = why
  }

  function putBack(partition: Partition, records: Queued[]): void {
    partition.waiting = [...records, ...partition.waiting]
    waitingRecords += records.length
    for (const { bytes } of records) waitingBytes += bytes
  }

  function refreshIfNeeded(): void {
    if (refreshing || refreshTimer || closed) return
    const blocked = [...partitions.values()].filter(
      ({ leader, waiting }) => leader === null && waiting.length > 0,
    )
    const isOld = waitingRecords > 0 && performance.now() - refreshedAt > metadataMaxAgeMs
    if (blocked.length === 0 && unplaced.length === 0 && !isOld) return
    const ofPartitions = blocked.length === 0 ? 0 : Math.min(...blocked.map(({ failures }) => failures))
    const tries = Math.max(refreshFailures, ofPartitions)
    const pauseMs = tries === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (tries - 1))
    refreshTimer = setTimeout(() => {
      refreshTimer = null
      dropSettled()
      if (waitingRecords > 0) void refresh()
    }, pauseMs)
  }

  function dropSettled(): void {
    const keep = (record: Queued) => {
      if (!record.call.settled) return true
      waitingRecords -= 1
      waitingBytes -= record.bytes
      return false
    }
    unplaced = unplaced.filter(keep)
    for (const partition of partitions.values()) {
      if (partition.leader === null) partition.waiting = partition.waiting.filter(keep)
    }
  }

  function refresh(): Promise<void> {
    refreshing ??= (async () => {
      await pool.readMetadata(topic).then(applyMetadata, (error) => fail(reasonOf(error)))
      refreshing = null
      schedule()
      refreshIfNeeded()
    })()
    return refreshing
  }

  function fail(why: string): void {
    refreshFailures += 1
    topicFailure = why
    for (const { call } of unplaced) call.why = why
  }

  function applyMetadata(metadata: TopicMetadata): void {
    if ("error" in metadata) {
      const { type, message } = metadata.error
      for (const partition of partitions.values()) partition.leader = null
      fail(type === "UNKNOWN_TOPIC_OR_PARTITION" ? `the topic ${topic} does not exist` : message)
      const scope = refusalScope(type)
      if (scope) rejectAll(refused(topic, type, message, scope))
      return
    }
    refreshFailures = 0
    topicFailure = null
    refreshedAt = performance.now()
    for (const { partition: id, leader } of metadata.leaders) {
      const partition = partitions.get(id) ?? addPartition(id)
      partition.leader = leader
      if (leader !== null) continue
      partition.failures += 1
      for (const { call } of partition.waiting) call.why = `partition ${id} has no leader`
    }
    const placing = unplaced
    unplaced = []
    for (const record of placing) place(record)
  }

  function addPartition(id: number): Partition {
    const partition = newPartition(id)
    partitions.set(id, partition)
    order = [...order, partition]
    return partition
  }

  function rejectAll(error: Error): void {
    const queues = [unplaced, ...[...partitions.values()].map(({ waiting }) => waiting)]
    for (const { call } of queues.flat()) call.reject(error)
    dropSettled()
  }

  /** Why a partition accepts no records, as far as is known; null for one that does. */
  function failureOf(
    partition: Partition,
    silent: Map<number, string>,
    suspicion: string | null,
  ): string | null {
    const { leader, failure, acknowledgedAt } = partition
    if (failure && performance.now() - failure.at < distrustMs) return failure.why
    if (leader === null) return `partition ${partition.id} has no leader`
    const why = silent.get(leader)
    if (why !== undefined) return why
    return performance.now() - acknowledgedAt < distrustMs ? null : suspicion
  }

  function stateOf(silent: Map<number, string>): TopicState {
    if (topicFailure !== null || partitions.size === 0)
      return { status: "unavailable", responds: false, why: topicFailure ?? "its metadata was not read" }
    const now = performance.now()
    const all = [...partitions.values()]
    // A leader that is there and appends nothing: the partitions to which nothing was sent lately may be no better.
    const unexplained = all.find(({ failure }) => failure?.byLeader && now - failure.at < distrustMs)
    const failing = all.flatMap((partition) => {
      const why = failureOf(partition, silent, unexplained?.failure?.why ?? null)
      return why === null ? [] : [{ id: partition.id, why }]
    })
    const [first] = failing
    if (!first) return { status: "available" }
    const responds = all.some(({ leader }) => leader !== null && !silent.has(leader))
    if (failing.length === all.length) return { status: "unavailable", responds, why: first.why }
    const ids = failing.map(({ id }) => id).toSorted((a, b) => a - b)
    return { status: "partial", unavailable: ids, partitions: all.length, why: first.why }
  }

  async function check(withinMs: number): Promise<TopicState> {
    const all = [...partitions.values()]
    const leaders = new Set(all.flatMap(({ leader }) => (leader === null ? [] : [leader])))
    const hasAcknowledged = (leader: number) =>
      all.some(
        (partition) => partition.leader === leader && performance.now() - partition.acknowledgedAt < freshMs,
      )
    const isWell = all.every(({ leader, failure }) => leader !== null && failure === null)
    if (isWell && leaders.size > 0 && [...leaders].every(hasAcknowledged)) return { status: "available" }

    const silent = new Map<number, string>()
    const asking = [...leaders].map(async (leader) => {
      const asked = pool.readMetadataFrom(leader, topic)
      const why = await withinDeadline(asked, withinMs, `no response within ${withinMs} ms`).catch(reasonOf)
      if (typeof why !== "string") return why
      // A busy one responds to this after much else.
      if (!hasAcknowledged(leader)) silent.set(leader, `broker ${leader}: ${why}`)
      return null
    })
    const metadata = (await Promise.all(asking)).find((response) => response !== null)
    if (metadata) applyMetadata(metadata)
    const isUnknown = ({ leader }: Partition) => leader !== null && !pool.isKnown(leader)
    const isSilent = leaders.size === silent.size
    if ((!metadata && isSilent) || [...partitions.values()].some(isUnknown)) {
      const outcome = await withinDeadline(refresh(), withinMs, "late")
      if (outcome === "late")
        return { status: "unavailable", responds: false, why: `no broker responded within ${withinMs} ms` }
    }
    schedule()
    return stateOf(silent)
  }

  return {
    add,
    hurry() {
      lingers = false
      schedule()
    },
    check,
    async disconnect() {
      closed = true
      for (const timer of [lingering, refreshTimer]) if (timer) clearTimeout(timer)
      await pool.disconnect()
    },
  }
}

const newPartition = (id: number): Partition => ({
  id,
  leader: null,
  waiting: [],
  sending: false,
  maxRecords: Number.POSITIVE_INFINITY,
  failures: 0,
  failure: null,
  acknowledgedAt: Number.NEGATIVE_INFINITY,
})
