import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import type { ConsumerRecord } from "../record.ts"
import { AssignedPartition, type FetchedBatch, type SkippedBatch } from "./assignedPartition.ts"
import type { OutstandingLimit } from "./limitOutstanding.ts"
import type { OffsetCommit, TopicPartition } from "./topicPartition.ts"

export type { FetchedBatch }

export type DispatchOptions = {
  limit: OutstandingLimit
  delayMsOf(topic: string): number
  onRecords(records: ConsumerRecord[], done: (record: ConsumerRecord) => void): void
  pause(partition: TopicPartition): void
  resume(partition: TopicPartition): void
  onHandlerError(error: unknown): void
  clock?: BrokerClock
}

const nameOf = ({ topic, partition }: TopicPartition) => `${topic}/${partition}`

/**
 * Passes fetched records to `onRecords` when they are due and the limit has capacity. If a record is done
 * after its partition was revoked, nothing is committed.
 */
export function dispatchRecords(options: DispatchOptions) {
  const { limit, delayMsOf, onRecords, pause, resume, onHandlerError, clock = createBrokerClock() } = options
  let assignment = new Map<string, AssignedPartition>()
  let stopped = false
  // Records of revoked partitions that are outstanding: dispatched and not done. They still count against the
  // limit.
  const revokedRecords = new Set<ConsumerRecord>()
  const shared = { limit, clock, dispatch, revokeRecords, pause, resume }

  function assign(partitions: TopicPartition[]): void {
    revoke()
    assignment = new Map(
      partitions.map((each) => [nameOf(each), new AssignedPartition(each, delayMsOf(each.topic), shared)]),
    )
    if (stopped) for (const partition of assignment.values()) partition.stop()
  }

  function revoke(): void {
    const revoked = assignment
    assignment = new Map()
    for (const partition of revoked.values()) partition.revoke()
    limit.notify()
  }

  function stop(): void {
    stopped = true
    for (const partition of assignment.values()) partition.stop()
    limit.notify()
  }

  function revokeRecords(records: ConsumerRecord[]): void {
    for (const record of records) revokedRecords.add(record)
  }

  function done(record: ConsumerRecord): void {
    const isNew = assignment.get(nameOf(record))?.done(record) || revokedRecords.delete(record)
    if (isNew) limit.release(1)
  }

  function dispatch(records: ConsumerRecord[]): void {
    limit.acquire(records.length)
    try {
      onRecords(records, done)
    } catch (error) {
      revoke()
      for (const record of records) if (revokedRecords.delete(record)) limit.release(1)
      onHandlerError(error)
    }
  }

  function pendingCommits(): { commits: OffsetCommit[]; markCommitted(): void } {
    const advanced = [...assignment.values()].flatMap((partition) => {
      const offset = partition.uncommitted()
      return offset === null ? [] : [{ partition, offset }]
    })
    return {
      commits: advanced.map(({ partition: { topic, partition }, offset }) => ({ topic, partition, offset })),
      markCommitted() {
        for (const { partition, offset } of advanced) partition.markCommitted(offset)
      },
    }
  }

  return {
    assign,
    revoke,
    stop,
    onFetched: async (fetched: FetchedBatch) => assignment.get(nameOf(fetched))?.onFetched(fetched),
    onSkipped: (skipped: SkippedBatch) => assignment.get(nameOf(skipped))?.onSkipped(skipped),
    pendingCommits,
    isAssigned: (partition: TopicPartition) => assignment.has(nameOf(partition)),
  }
}
