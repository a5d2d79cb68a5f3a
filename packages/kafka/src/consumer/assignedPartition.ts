import type { BrokerClock } from "../delay/brokerClock.ts"
import { countDue, msUntilDue } from "../delay/dueRecords.ts"
import type { ConsumerRecord } from "../record.ts"
import type { OutstandingLimit } from "./limitOutstanding.ts"
import type { TopicPartition } from "./topicPartition.ts"
import { trackOffsets } from "./trackOffsets.ts"

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

type Shared = {
  limit: OutstandingLimit
  clock: BrokerClock
  dispatch(records: ConsumerRecord[]): void
  /** Records that are dispatched and not done, and of which no offset will be committed. */
  revokeRecords(records: ConsumerRecord[]): void
  pause(partition: TopicPartition): void
  resume(partition: TopicPartition): void
}

/** How far a partition has been fetched, dispatched and committed during one assignment. */
export class AssignedPartition {
  readonly topic: string
  readonly partition: number
  readonly #delayMs: number
  readonly #shared: Shared
  #state: "active" | "stopped" | "revoked" = "active"
  #tracker = trackOffsets<ConsumerRecord>()
  /** All records before this offset were passed to `#tracker`. Null before any record. */
  #next: bigint | null = null
  /** The offset that was committed last; before that, the first offset, which needs no commit. */
  #committed: string | null = null
  #notDue: ConsumerRecord[] = []
  #timer: NodeJS.Timeout | undefined

  constructor({ topic, partition }: TopicPartition, delayMs: number, shared: Shared) {
    this.topic = topic
    this.partition = partition
    this.#delayMs = delayMs
    this.#shared = shared
  }

  #isActive(): boolean {
    return this.#state === "active"
  }

  /** Resolves when each record is dispatched, or buffered until it is due. */
  async onFetched(fetched: FetchedBatch): Promise<void> {
    const { limit, clock } = this.#shared
    const { records, lastOffset } = fetched
    const [first] = records
    const newest = records.at(-1)
    // Only delayed topics show the brokers' time. The timestamps of others may come from publishers.
    if (newest && this.#delayMs > 0) clock.read(newest.appendedAt)
    if (first && this.#next !== null && BigInt(first.offset) < this.#next) {
      fetched.resolveOffset(String(this.#restart(BigInt(first.offset)) - 1n))
      return
    }
    let from = 0
    while (from < records.length && this.#isActive()) {
      const due = countDue(records, from, this.#delayMs, clock.now())
      if (due === 0) {
        this.#notDue = records.slice(from, from + maxRecordsNotDue)
        this.#track(this.#notDue, fetched)
        this.#shared.pause(this)
        this.#dispatchDue()
        return
      }
      const count = Math.min(due, limit.capacity())
      if (count > 0) {
        const dispatched = records.slice(from, from + count)
        from += count
        this.#track(dispatched, fetched)
        this.#shared.dispatch(dispatched)
        continue
      }
      // Send a heartbeat before waiting, because during a rebalance it rejects at once. kafkajs still passes
      // the remaining batches of the fetch then, and each of them would otherwise wait here.
      await fetched.heartbeat()
      if (limit.capacity() <= 0) await limit.changed(heartbeatEveryMs)
    }
    if (from < records.length || this.#state === "revoked") return
    this.#reach(lastOffset)
    fetched.resolveOffset(lastOffset)
  }

  #track(records: ConsumerRecord[], { resolveOffset }: FetchedBatch): void {
    this.#tracker.add(records)
    // The first offset needs no commit, because a restarted group would begin there anyway.
    this.#committed ??= this.#tracker.committable()
    const last = records.at(-1)
    if (!last) return
    this.#next = BigInt(last.offset) + 1n
    resolveOffset(last.offset)
  }

  #dispatchDue(): void {
    if (!this.#isActive()) return
    const { limit, clock } = this.#shared
    const due = countDue(this.#notDue, 0, this.#delayMs, clock.now())
    const count = Math.min(due, Math.max(0, limit.capacity()))
    if (count > 0) this.#shared.dispatch(this.#notDue.splice(0, count))
    if (!this.#isActive()) return
    const next = this.#notDue[0]
    if (!next) {
      this.#shared.resume(this)
    } else if (due > count) {
      void limit.changed(heartbeatEveryMs).then(() => this.#dispatchDue())
    } else {
      const sleepMs = msUntilDue(next, this.#delayMs, clock.now())
      this.#timer = setTimeout(() => this.#dispatchDue(), sleepMs)
    }
  }

  /**
   * Called if an offset arrives again: the log was truncated, the topic was recreated, or two fetch loops
   * requested it. The tracker needs ascending offsets: it would never find the repeated record, which would
   * count against the limit for ever. Returns the offset to fetch next.
   */
  #restart(offset: bigint): bigint {
    const reached = BigInt(this.#tracker.committable() ?? offset)
    this.#revokeRecords()
    this.#tracker = trackOffsets<ConsumerRecord>()
    this.#next = null
    this.#notDue = []
    // "" differs from every offset, so the next offset is committed even if it equals the last one, which may
    // be an offset of the previous log.
    this.#committed = ""
    return offset < reached ? offset : reached
  }

  /** Called for a batch without records for consumers: aborted records, or the markers of transactions. */
  onSkipped({ firstOffset, lastOffset }: SkippedBatch): void {
    // Another batch is of the assignment before, or of a topic that was deleted and created again.
    if (BigInt(firstOffset) === this.#next) this.#reach(lastOffset)
  }

  /** Otherwise, lag would be reported although all records are done. */
  #reach(lastOffset: string): void {
    this.#next = BigInt(lastOffset) + 1n
    this.#tracker.reach(String(this.#next))
  }

  /** False if the record is of another assignment, or was done before. */
  done(record: ConsumerRecord): boolean {
    return this.#tracker.done(record)
  }

  stop(): void {
    this.#state = "stopped"
    clearTimeout(this.#timer)
    this.#shared.pause(this)
  }

  revoke(): void {
    this.#revokeRecords()
    this.#state = "revoked"
  }

  #revokeRecords(): void {
    clearTimeout(this.#timer)
    const notDue = new Set(this.#notDue)
    this.#shared.revokeRecords([...this.#tracker.notDone()].filter((record) => !notDue.has(record)))
    // In kafkajs, a revoked partition stays paused. If it were assigned again, it would not be fetched.
    if (notDue.size > 0 && this.#isActive()) this.#shared.resume(this)
  }

  /** The offset that is to be committed, or null. */
  uncommitted(): string | null {
    const offset = this.#tracker.committable()
    return offset === this.#committed ? null : offset
  }

  markCommitted(offset: string): void {
    this.#committed = offset
  }
}
