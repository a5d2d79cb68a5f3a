import type { Leaders } from "./brokerConnections.ts"
import { createPartitionChooser } from "./choosePartition.ts"
import { newPartitionQueue, type PartitionQueue, type QueuedRecord, takeRecords } from "./partitionQueue.ts"

export type BatchPart = { partition: PartitionQueue; records: QueuedRecord[] }

export type PartitionQueues = ReturnType<typeof createPartitionQueues>

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
  function takeBatch(leader: number): BatchPart[] {
    const batch: BatchPart[] = []
    const space = { records: maxBatchRecords, bytes: maxBatchBytes }
    for (const partition of order) {
      if (partition.leader !== leader || partition.sending || partition.waiting.length === 0) continue
      const { records, removed } = takeRecords(partition, space)
      waitingRecords -= removed.records
      waitingBytes -= removed.bytes
      if (records.length > 0) batch.push({ partition, records })
    }
    if (space.records === 0 || space.bytes <= maxBatchBytes / 2) {
      // Partitions that got no space come first in the next request.
      const served = new Set(batch.map(({ partition }) => partition))
      order = [...order.filter((partition) => !served.has(partition)), ...served]
    }
    return batch
  }

  function putBack({ partition, records }: BatchPart): void {
    if (partitions.get(partition.id) === partition) partition.waiting = [...records, ...partition.waiting]
    else unassign(records)
    waitingRecords += records.length
    for (const { bytes } of records) waitingBytes += bytes
  }

  function applyLeaders(leaders: Leaders): void {
    const present = new Set(leaders.map(({ partition }) => partition))
    for (const [id, partition] of partitions) {
      if (present.has(id)) continue
      // The topic was created again with fewer partitions.
      partitions.delete(id)
      order = order.filter((each) => each !== partition)
      unassign(partition.waiting)
    }
    for (const { partition: id, leader } of leaders) {
      let partition = partitions.get(id)
      if (!partition) {
        partition = newPartitionQueue(id)
        partitions.set(id, partition)
        order = [...order, partition]
      }
      partition.leader = leader
      if (leader !== null) continue
      partition.failures += 1
      for (const { call } of partition.waiting) call.why = `partition ${id} has no leader`
    }
    const records = unassigned
    unassigned = []
    for (const record of records) assign(record)
  }

  function unassign(records: readonly QueuedRecord[]): void {
    for (const { message } of records) delete message.partition
    unassigned = [...unassigned, ...records]
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
  }
}
