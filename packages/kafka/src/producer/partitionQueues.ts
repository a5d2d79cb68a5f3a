import type { Message } from "kafkajs"
import type { Leaders } from "./brokerConnections.ts"
import { createPartitionChooser } from "./choosePartition.ts"

/** A call of `publish`. `why` is the last reason why one of its records was not appended. */
export type PublishCall = {
  settled: boolean
  why: string | null
  acknowledge(): void
  reject(error: Error): void
}
export type QueuedRecord = { message: Message; bytes: number; queuedAt: number; call: PublishCall }

export type PartitionQueue = {
  id: number
  /** Null if the partition has no leader; also after a failure, until metadata is read again. */
  leader: number | null
  waiting: QueuedRecord[]
  sending: boolean
  /** How many of its records a request may contain. Lowered to isolate a rejected record. */
  maxRecords: number
  /** Failures since the last acknowledgement. They set the backoff of metadata refreshes. */
  failures: number
  /**
   * `byLeader`: a broker rejected the records for another reason than lost leadership. Any partition of the topic
   * without a recent acknowledgement may fail likewise.
   */
  failure: { why: string; at: number; byLeader: boolean } | null
  acknowledgedAt: number
}
export type Batch = { partition: PartitionQueue; records: QueuedRecord[] }[]

export function createPartitionQueues(limits: { maxBatchRecords: number; maxBatchBytes: number }) {
  const { maxBatchRecords, maxBatchBytes } = limits
  const partitions = new Map<number, PartitionQueue>()
  let order: PartitionQueue[] = []
  let unassigned: QueuedRecord[] = []
  const choosePartition = createPartitionChooser()
  let waitingRecords = 0
  let waitingBytes = 0

  function assign(record: QueuedRecord): void {
    const { message } = record
    if (message.partition === undefined && partitions.size > 0) {
      const available = [...partitions.values()].flatMap(({ id, leader }) => (leader === null ? [] : [id]))
      message.partition = choosePartition(message.key ?? null, partitions.size, available)
    }
    const partition = partitions.get(message.partition ?? -1)
    if (partition) partition.waiting.push(record)
    else unassigned.push(record)
  }

  function add(record: QueuedRecord): void {
    waitingRecords += 1
    waitingBytes += record.bytes
    assign(record)
  }

  /** Takes the records of the next request to this leader. Drops records whose call is already settled. */
  function takeBatch(leader: number): Batch {
    const batch: Batch = []
    let count = 0
    let bytes = 0
    for (const partition of order) {
      if (partition.leader !== leader || partition.sending || partition.waiting.length === 0) continue
      const records: QueuedRecord[] = []
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
      // Partitions that got no space come first in the next request.
      const served = new Set(batch.map(({ partition }) => partition))
      order = [...order.filter((partition) => !served.has(partition)), ...served]
    }
    return batch
  }

  function putBack(partition: PartitionQueue, records: QueuedRecord[]): void {
    if (partitions.get(partition.id) === partition) partition.waiting = [...records, ...partition.waiting]
    else unassign(records)
    waitingRecords += records.length
    for (const { bytes } of records) waitingBytes += bytes
  }

  function applyLeaders(leaders: Leaders): void {
    const present = new Set(leaders.map(({ partition }) => partition))
    for (const partition of partitions.values()) if (!present.has(partition.id)) removePartition(partition)
    for (const { partition: id, leader } of leaders) {
      const partition = partitions.get(id) ?? addPartition(id)
      partition.leader = leader
      if (leader !== null) continue
      partition.failures += 1
      for (const { call } of partition.waiting) call.why = `partition ${id} has no leader`
    }
    const records = unassigned
    unassigned = []
    for (const record of records) assign(record)
  }

  /** For a topic that was created again with fewer partitions. */
  function removePartition(partition: PartitionQueue): void {
    partitions.delete(partition.id)
    order = order.filter((each) => each !== partition)
    unassign(partition.waiting)
  }

  function unassign(records: readonly QueuedRecord[]): void {
    for (const { message } of records) delete message.partition
    unassigned = [...unassigned, ...records]
  }

  function addPartition(id: number): PartitionQueue {
    const partition = newPartitionQueue(id)
    partitions.set(id, partition)
    order = [...order, partition]
    return partition
  }

  /** The records that can be sent only when metadata has been read. */
  function withoutLeader(): QueuedRecord[] {
    const blocked = [...partitions.values()].filter(({ leader }) => leader === null)
    return [...unassigned, ...blocked.flatMap(({ waiting }) => waiting)]
  }

  function dropSettled(): void {
    const isPending = (record: QueuedRecord) => {
      if (!record.call.settled) return true
      waitingRecords -= 1
      waitingBytes -= record.bytes
      return false
    }
    unassigned = unassigned.filter(isPending)
    for (const partition of partitions.values()) {
      if (partition.leader === null) partition.waiting = partition.waiting.filter(isPending)
    }
  }

  function rejectAll(error: Error): void {
    const queues = [unassigned, ...[...partitions.values()].map(({ waiting }) => waiting)]
    for (const { call } of queues.flat()) call.reject(error)
    dropSettled()
  }

  return {
    partitions,
    order: () => order,
    unassigned: (): readonly QueuedRecord[] => unassigned,
    waitingRecords: () => waitingRecords,
    fillsRequest: () => waitingRecords >= maxBatchRecords || waitingBytes >= maxBatchBytes,
    add,
    takeBatch,
    putBack,
    applyLeaders,
    withoutLeader,
    dropSettled,
    rejectAll,
  }
}

const newPartitionQueue = (id: number): PartitionQueue => ({
  id,
  leader: null,
  waiting: [],
  sending: false,
  maxRecords: Number.POSITIVE_INFINITY,
  failures: 0,
  failure: null,
  acknowledgedAt: Number.NEGATIVE_INFINITY,
})
