import type { Room } from "./outstandingCapacity.ts"
import { type BrokerClock, createBrokerClock } from "../delay/brokerClock.ts"
import { countDue, sleepUntilDue } from "../delay/dueRecords.ts"
import type { Incoming } from "../record.ts"
import { type OffsetTracker, trackOffsets } from "./trackOffsets.ts"

/** Kept of a partition whose next record is not due yet; the rest is fetched again when these are handed over. */
const keptWhileWaiting = 256

/** Well under the session timeout: it is also how soon a rebalance is noticed while there is no room. */
const heartbeatEveryMs = 1_000

export type Place = { topic: string; partition: number }
export type Commit = Place & { offset: string }

/** What was fetched from one partition, and what may be asked about it, whatever the client is. */
export type Fetched = Place & {
  records: Incoming[]
  /** The next fetch starts after this offset. */
  moveOn(offset: string): void
  /** Rejects when the group wants us back at the table; that must reach the client. */
  heartbeat(): Promise<void>
}

export type HandOverOptions = {
  room: Room
  delayMsOf(topic: string): number
  take(records: Incoming[], done: (record: Incoming) => void): void
  pause(place: Place): void
  resume(place: Place): void
  /** `take` threw: the records were not taken, and the assignment cannot go on. */
  broken(error: unknown): void
  /** By default one of its own, which nothing but these records corrects. */
  clock?: BrokerClock
}

type Partition = Place & {
  delayMs: number
  tracker: OffsetTracker<Incoming>
  /** Before this offset all is tracked; null before any record. */
  next: bigint | null
  committed: string | null
  /** Fetched and tracked, but not due yet: still ours, not in anybody's hand. */
  waiting: Incoming[]
  timer: NodeJS.Timeout | null
}

type Assignment = Map<string, Partition>

const nameOf = ({ topic, partition }: Place) => `${topic}/${partition}`

/**
 * Hands records over as there is room and as they fall due, and knows what may be committed. Knows assignments
 * and no client: everything of one assignment is dropped with it, and what is done later finds nothing.
 */
export function handOverRecords(options: HandOverOptions) {
  const { room, delayMsOf, take, pause, resume, broken, clock = createBrokerClock() } = options
  let assignment: Assignment | null = null
  let stopped = false
  // In hand, but of an assignment that has ended: they take up room until they are done, and commit nothing.
  const orphans = new Set<Incoming>()

  function begin(places: Place[]): void {
    end()
    // Who has slept with the machine has lost its assignment, and its monotonic clock has stood still.
    clock.restart()
    assignment = new Map(
      places.map((place) => [
        nameOf(place),
        {
          ...place,
          delayMs: delayMsOf(place.topic),
          tracker: trackOffsets<Incoming>(),
          next: null,
          committed: null,
          waiting: [],
          timer: null,
        },
      ]),
    )
    if (stopped) for (const place of places) pause(place)
  }

  function end(): void {
    const ended = assignment
    assignment = null
    if (!ended) return
    for (const partition of ended.values()) disown(partition)
    room.wake()
  }

  function disown(partition: Partition): void {
    if (partition.timer) clearTimeout(partition.timer)
    const waiting = new Set(partition.waiting)
    for (const record of partition.tracker.notDone()) if (!waiting.has(record)) orphans.add(record)
    // kafkajs keeps a pause across assignments: regained later, the partition would stay silent.
    if (waiting.size > 0 && !stopped) resume(partition)
  }

  /**
   * An offset comes twice where a log was cut or its topic made anew, when kafkajs goes on from the log's beginning by
   * itself; or where two of its fetch loops have asked for the same. Tracked as if it came behind the others, it would not
   * be found when it is done: room would never come back, until none was left.
   */
  function goBack(partition: Partition, offset: bigint, fetched: Fetched): void {
    const reached = BigInt(partition.tracker.committable() ?? offset)
    disown(partition)
    partition.tracker = trackOffsets<Incoming>()
    partition.next = null
    partition.waiting = []
    // Even before anything is done: what the broker has may be of the log that is gone.
    partition.committed = ""
    fetched.moveOn(String((offset < reached ? offset : reached) - 1n))
  }

  /** No more hand-over; what is in hand can still be done and committed. */
  function stop(): void {
    stopped = true
    for (const partition of assignment?.values() ?? []) {
      if (partition.timer) clearTimeout(partition.timer)
      pause(partition)
    }
    room.wake()
  }

  function done(record: Incoming): void {
    const known = assignment?.get(nameOf(record))?.tracker.done(record) || orphans.delete(record)
    if (known) room.give(1)
  }

  function give(records: Incoming[]): void {
    room.take(records.length)
    try {
      take(records, done)
    } catch (error) {
      // Whatever of these was not done is nobody's now, and is handed over again after the next assignment.
      end()
      for (const record of records) if (orphans.delete(record)) room.give(1)
      broken(error)
    }
  }

  /**
   * Resolves when everything of the batch is handed over or waits for its time. While there is no room it stays,
   * so that nothing need be fetched twice: no other partition could hand anything over either.
   */
  async function receive(fetched: Fetched): Promise<void> {
    const mine = assignment
    const partition = mine?.get(nameOf(fetched))
    if (!partition) return
    const [first] = fetched.records
    const newest = fetched.records.at(-1)
    // Without a delay the topic may use the publishers' times, of whatever clocks.
    if (newest && partition.delayMs > 0) clock.read(newest.appendedAt)
    if (first && partition.next !== null && BigInt(first.offset) < partition.next) {
      goBack(partition, BigInt(first.offset), fetched)
      return
    }
    const keep = (records: Incoming[]) => {
      partition.tracker.add(records)
      // Nothing is done yet: where the partition starts need not be committed.
      partition.committed ??= partition.tracker.committable()
      const last = records.at(-1)
      if (!last) return
      partition.next = BigInt(last.offset) + 1n
      fetched.moveOn(last.offset)
    }

    let from = 0
    while (from < fetched.records.length && assignment === mine && !stopped) {
      const due = countDue(fetched.records, from, partition.delayMs, clock.now())
      if (due === 0) {
        partition.waiting = fetched.records.slice(from, from + keptWhileWaiting)
        keep(partition.waiting)
        pause(partition)
        handOverWaiting(mine, partition)
        return
      }
      const count = Math.min(due, room.free())
      if (count > 0) {
        const records = fetched.records.slice(from, from + count)
        from += count
        keep(records)
        give(records)
        continue
      }
      // First the heartbeat: kafkajs tries the other batches of a fetch even after one has failed, and each
      // would otherwise hold up a rebalance by one wait.
      await fetched.heartbeat()
      if (room.free() <= 0) await room.changed(heartbeatEveryMs)
    }
  }

  function handOverWaiting(mine: Assignment | null, partition: Partition): void {
    if (assignment !== mine || stopped) return
    const due = countDue(partition.waiting, 0, partition.delayMs, clock.now())
    const count = Math.min(due, Math.max(0, room.free()))
    if (count > 0) give(partition.waiting.splice(0, count))
    if (assignment !== mine) return
    const next = partition.waiting[0]
    if (!next) {
      resume(partition)
    } else if (due > count) {
      void room.changed(heartbeatEveryMs).then(() => handOverWaiting(mine, partition))
    } else {
      const sleepMs = sleepUntilDue(next, partition.delayMs, clock.now())
      partition.timer = setTimeout(() => handOverWaiting(mine, partition), sleepMs)
    }
  }

  /** What has been done since it was last committed. Remember it with `committed` once it is. */
  function toCommit(): { commits: Commit[]; committed(): void } {
    const moved: { partition: Partition; offset: string }[] = []
    for (const partition of assignment?.values() ?? []) {
      const offset = partition.tracker.committable()
      if (offset !== null && offset !== partition.committed) moved.push({ partition, offset })
    }
    return {
      commits: moved.map(({ partition: { topic, partition }, offset }) => ({ topic, partition, offset })),
      committed() {
        for (const { partition, offset } of moved) partition.committed = offset
      },
    }
  }

  const isAssigned = (place: Place) => assignment?.has(nameOf(place)) ?? false

  return { begin, end, stop, receive, toCommit, isAssigned }
}
