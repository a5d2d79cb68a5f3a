import type { Message } from "kafkajs"

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

export const newPartitionQueue = (id: number): PartitionQueue => ({
  id,
  leader: null,
  waiting: [],
  sending: false,
  maxRecords: Number.POSITIVE_INFINITY,
  failures: 0,
  failure: null,
  acknowledgedAt: Number.NEGATIVE_INFINITY,
})

/**
 * Takes the records for which the request has space, and reduces the space. `removed` also contains those whose call is
 * already settled.
 */
export function takeRecords(
  { waiting, maxRecords }: PartitionQueue,
  space: { records: number; bytes: number },
) {
  const records: QueuedRecord[] = []
  let [end, bytes] = [0, 0]
  for (const record of waiting) {
    if (!record.call.settled) {
      if (space.records === 0 || records.length >= maxRecords || record.bytes > space.bytes) break
      records.push(record)
      space.records -= 1
      space.bytes -= record.bytes
    }
    bytes += record.bytes
    end += 1
  }
  waiting.splice(0, end)
  return { records, removed: { records: end, bytes } }
}

export function acknowledge(partition: PartitionQueue, records: readonly QueuedRecord[]): void {
  partition.failures = 0
  partition.failure = null
  partition.acknowledgedAt = performance.now()
  // Raises the limit again if it was lowered. Normally it is Infinity.
  partition.maxRecords *= 2
  for (const { call } of records) call.acknowledge()
}

export function markFailed(partition: PartitionQueue, why: string, byLeader: boolean): void {
  partition.failures += 1
  partition.failure = { why, at: performance.now(), byLeader }
  partition.leader = null
  for (const { call } of partition.waiting) call.why = why
}
