import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import { countDue, msUntilDue } from "../delay/dueRecords.ts"
import type { ConsumerRecord } from "../record.ts"
import type { OutstandingLimit } from "./limitOutstanding.ts"
import type { OffsetCommit, TopicPartition } from "./topicPartition.ts"
import { type OffsetTracker, trackOffsets } from "./trackOffsets.ts"

const maxRecordsNotDue = 256

/** Time between heartbeats while records wait for capacity. Must be well below the session timeout. */
const heartbeatEveryMs = 1_000

export type FetchedBatch = TopicPartition & {
  records: ConsumerRecord[]
  /** Of the batch. Later than the last record if aborted records or the markers of transactions follow it. */
  lastOffset: string
  /** Makes the next fetch start after this offset. */
  resolveOffset(offset: string): void
  /** Rejects if the group rebalances. Do not catch this error: kafkajs needs it to join the group again. */
  heartbeat(): Promise<void>
}

export type SkippedBatch = TopicPartition & { firstOffset: string; lastOffset: string }

export type DispatchOptions = {
  limit: OutstandingLimit
  delayMsOf(topic: string): number
  onRecords(records: ConsumerRecord[], done: (record: ConsumerRecord) => void): void
  pause(partition: TopicPartition): void
  resume(partition: TopicPartition): void
  onHandlerError(error: unknown): void
  clock?: BrokerClock
}

type Partition = TopicPartition & {
  delayMs: number
  tracker: OffsetTracker<ConsumerRecord>
  /** All records before this offset were passed to `tracker`. Null before any record. */
  next: bigint | null
  /** The offset that was committed last; before that, the first offset, which needs no commit. */
  committed: string | null
  notDue: ConsumerRecord[]
  timer: NodeJS.Timeout | null
}

type Assignment = Map<string, Partition>

const nameOf = ({ topic, partition }: TopicPartition) => `${topic}/${partition}`

/**
 * Passes fetched records to `onRecords` when they are due and the limit has capacity. If a record is done
 * after its partition was revoked, nothing is committed.
 */
export function dispatchRecords(options: DispatchOptions) {
  const { limit, delayMsOf, onRecords, pause, resume, onHandlerError, clock = createBrokerClock() } = options
  let assignment: Assignment | null = null
  let stopped = false
  // Records of revoked partitions that are outstanding: dispatched and not done. They still count against the
  // limit.
  const revokedRecords = new Set<ConsumerRecord>()

  function assign(partitions: TopicPartition[]): void {
    revoke()
    assignment = new Map(
      partitions.map((partition) => [
        nameOf(partition),
        {
          ...partition,
          delayMs: delayMsOf(partition.topic),
          tracker: trackOffsets<ConsumerRecord>(),
          next: null,
          committed: null,
          notDue: [],
          timer: null,
        },
      ]),
    )
    if (stopped) for (const partition of partitions) pause(partition)
  }

  function revoke(): void {
    const revoked = assignment
    assignment = null
    if (!revoked) return
    for (const partition of revoked.values()) revokePartition(partition)
    limit.notify()
  }

  function revokePartition(partition: Partition): void {
    if (partition.timer) clearTimeout(partition.timer)
    const notDue = new Set(partition.notDue)
    for (const record of partition.tracker.notDone()) if (!notDue.has(record)) revokedRecords.add(record)
    // In kafkajs, a revoked partition stays paused. If it were assigned again, it would not be fetched.
    if (notDue.size > 0 && !stopped) resume(partition)
  }

  /**
   * Called if an offset arrives again: the log was truncated, the topic was recreated, or two fetch loops
   * requested it. The tracker needs ascending offsets: it would never find the repeated record, which would
   * count against the limit for ever.
   */
  function restartPartition(partition: Partition, offset: bigint, fetched: FetchedBatch): void {
    const reached = BigInt(partition.tracker.committable() ?? offset)
    revokePartition(partition)
    partition.tracker = trackOffsets<ConsumerRecord>()
    partition.next = null
    partition.notDue = []
    // "" differs from every offset, so the next offset is committed even if it equals the last one, which may
    // be an offset of the previous log.
    partition.committed = ""
    fetched.resolveOffset(String((offset < reached ? offset : reached) - 1n))
  }

  function stop(): void {
    stopped = true
    for (const partition of assignment?.values() ?? []) {
      if (partition.timer) clearTimeout(partition.timer)
      pause(partition)
    }
    limit.notify()
  }

  function done(record: ConsumerRecord): void {
    const isNew = assignment?.get(nameOf(record))?.tracker.done(record) || revokedRecords.delete(record)
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

  /** Resolves when each record is dispatched, or buffered until it is due. */
  async function onFetched(fetched: FetchedBatch): Promise<void> {
    const current = assignment
    const partition = current?.get(nameOf(fetched))
    if (!partition) return
    const [first] = fetched.records
    const newest = fetched.records.at(-1)
    // Only delayed topics show the brokers' time. The timestamps of others may come from publishers.
    if (newest && partition.delayMs > 0) clock.read(newest.appendedAt)
    if (first && partition.next !== null && BigInt(first.offset) < partition.next) {
      restartPartition(partition, BigInt(first.offset), fetched)
      return
    }
    const track = (records: ConsumerRecord[]) => {
      partition.tracker.add(records)
      // The first offset needs no commit, because a restarted group would begin there anyway.
      partition.committed ??= partition.tracker.committable()
      const last = records.at(-1)
      if (!last) return
      partition.next = BigInt(last.offset) + 1n
      fetched.resolveOffset(last.offset)
    }

    let from = 0
    while (from < fetched.records.length && assignment === current && !stopped) {
      const due = countDue(fetched.records, from, partition.delayMs, clock.now())
      if (due === 0) {
        partition.notDue = fetched.records.slice(from, from + maxRecordsNotDue)
        track(partition.notDue)
        pause(partition)
        dispatchDue(current, partition)
        return
      }
      const count = Math.min(due, limit.capacity())
      if (count > 0) {
        const records = fetched.records.slice(from, from + count)
        from += count
        track(records)
        dispatch(records)
        continue
      }
      // Send a heartbeat before waiting, because during a rebalance it rejects at once. kafkajs still passes
      // the remaining batches of the fetch then, and each of them would otherwise wait here.
      await fetched.heartbeat()
      if (limit.capacity() <= 0) await limit.changed(heartbeatEveryMs)
    }
    if (from < fetched.records.length || assignment !== current) return
    reach(partition, fetched.lastOffset)
    fetched.resolveOffset(fetched.lastOffset)
  }

  /** Called for a batch without records for consumers: aborted records, or the markers of transactions. */
  function onSkipped({ firstOffset, lastOffset, ...at }: SkippedBatch): void {
    const partition = assignment?.get(nameOf(at))
    // Another batch is of the assignment before, or of a topic that was deleted and created again.
    if (partition && BigInt(firstOffset) === partition.next) reach(partition, lastOffset)
  }

  /** Otherwise, lag would be reported although all records are done. */
  function reach(partition: Partition, lastOffset: string): void {
    partition.next = BigInt(lastOffset) + 1n
    partition.tracker.reach(String(partition.next))
  }

  function dispatchDue(current: Assignment | null, partition: Partition): void {
    if (assignment !== current || stopped) return
    const due = countDue(partition.notDue, 0, partition.delayMs, clock.now())
    const count = Math.min(due, Math.max(0, limit.capacity()))
    if (count > 0) dispatch(partition.notDue.splice(0, count))
    if (assignment !== current) return
    const next = partition.notDue[0]
    if (!next) {
      resume(partition)
    } else if (due > count) {
      void limit.changed(heartbeatEveryMs).then(() => dispatchDue(current, partition))
    } else {
      const sleepMs = msUntilDue(next, partition.delayMs, clock.now())
      partition.timer = setTimeout(() => dispatchDue(current, partition), sleepMs)
    }
  }

  function pendingCommits(): { commits: OffsetCommit[]; markCommitted(): void } {
    const advanced: { partition: Partition; offset: string }[] = []
    for (const partition of assignment?.values() ?? []) {
      const offset = partition.tracker.committable()
      if (offset !== null && offset !== partition.committed) advanced.push({ partition, offset })
    }
    return {
      commits: advanced.map(({ partition: { topic, partition }, offset }) => ({ topic, partition, offset })),
      markCommitted() {
        for (const { partition, offset } of advanced) partition.committed = offset
      },
    }
  }

  const isAssigned = (partition: TopicPartition) => assignment?.has(nameOf(partition)) ?? false

  return { assign, revoke, stop, onFetched, onSkipped, pendingCommits, isAssigned }
}
