import { setTimeout as sleep } from "node:timers/promises"
import { boundRoom } from "./outstandingCapacity.ts"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { groupLag, type Lag } from "../admin/groupLag.ts"
import { handOverRecords } from "./dispatchRecords.ts"
import { reasonOf } from "../client/log.ts"
import type { Incoming } from "../record.ts"
import { startMembership } from "./startMembership.ts"

const commitEveryMs = 250
const firstPauseMs = 200
const longestPauseMs = 3_000
/** A membership that lasted so long has not failed at its beginning. */
const stableMs = 10_000

export type ConsumerOptions = {
  kafka: KafkaConnection
  group: string
  /**
   * With `delayMs`, a record is handed over no earlier than `appendedAt + delayMs`, by the brokers' time as far as it is
   * known (`createBrokerClock`). The topic must use LogAppendTime, so that the first record of a partition is always the
   * next one due.
   */
  topics: { topic: string; delayMs?: number }[]
  /** Records handed over and not done, over all partitions. */
  maxOutstanding: number
  /**
   * Of one answer of a broker, at most; a larger single record still comes. What is fetched is held, parsed, while it
   * waits for room: large answers are for many small records, small ones for little memory. 4 MiB by default.
   */
  fetchBytes?: number
  /**
   * Gets records in the order of their partition and must return at once. Each record is to be given to `done` when
   * its outcome is durable: in any order, from anywhere. Until then nothing from it on is committed, and after
   * a crash or a rebalance it comes again. Throwing means that the consumer cannot go on: it starts over.
   */
  take: (records: Incoming[], done: (record: Incoming) => void) => void
  /** After a kill, the group waits this long before it gives the dead member's partitions to another. */
  sessionTimeoutMs?: number
  /** How long the first join may take before `startConsumer` gives up. */
  startDeadlineMs?: number
  onHealth?: (healthy: boolean, why?: string) => void
}

export type Consumer = {
  outstanding(): number
  /** A member of the group that could fetch and that the broker has lately heard. False is a reason not to be ready. */
  healthy(): boolean
  /**
   * How far the group is behind in the partitions that are assigned here, as the broker knows it: also where nothing is
   * fetched, as there is no room. Asks the broker; rejects where that does not answer.
   */
  lag(): Promise<Lag[]>
  /**
   * Hands nothing more over, waits for what is in hand, commits, leaves. `drained` is false if the deadline was
   * over first or the commit failed; what is missing comes again. Never rejects, may be called twice.
   */
  close(deadlineMs: number): Promise<{ drained: boolean }>
}

/**
 * Consumes at least once. Resolves once it has joined its group and fetched; rejects if that takes longer than
 * `startDeadlineMs`. From then on it looks after itself: when the broker goes away or the client breaks, it
 * reports itself unhealthy and joins again, until it is closed.
 */
export async function startConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { kafka, group, topics, maxOutstanding, take, onHealth } = options
  const { sessionTimeoutMs = 10_000, startDeadlineMs = 60_000, fetchBytes = 4 * 1024 * 1024 } = options
  const { log } = kafka
  const delays = new Map(topics.map(({ topic, delayMs }) => [topic, delayMs ?? 0]))
  const room = boundRoom(maxOutstanding)
  const closing = new AbortController()
  const joined = Promise.withResolvers<void>()

  let healthy = false
  let lastReason = "not joined yet"
  let pauseMs = firstPauseMs
  let membership: ReturnType<typeof startMembership> | null = null
  let committing: Promise<boolean> | null = null
  let asking: Promise<Lag[]> | null = null

  function report(now: boolean, why: string): void {
    lastReason = why
    if (now === healthy) return
    healthy = now
    if (now) log.info({ group }, "consumer is healthy")
    else log.error({ group, why }, "consumer is unhealthy")
    onHealth?.(now, why)
  }

  const records = handOverRecords({
    room,
    delayMsOf: (topic) => delays.get(topic) ?? 0,
    take,
    pause: (place) => membership?.pause(place),
    resume: (place) => membership?.resume(place),
    broken: (error) => membership?.end(`a handler threw: ${reasonOf(error)}`),
    clock: kafka.clock,
  })

  /** True when nothing is left to commit. One at a time; a failed commit is tried again at the next interval. */
  async function commitOnce(): Promise<boolean> {
    const { commits, committed } = records.toCommit()
    if (commits.length === 0) return true
    try {
      await membership?.commit(commits)
      committed()
      return true
    } catch (error) {
      log.debug({ group, why: reasonOf(error) }, "offsets were not committed")
      return false
    }
  }
  function commit(): Promise<boolean> {
    committing ??= commitOnce().finally(() => {
      committing = null
    })
    return committing
  }
  const commitTimer = setInterval(() => void commit(), commitEveryMs)

  async function stayMember(): Promise<void> {
    while (!closing.signal.aborted) {
      const begunAt = performance.now()
      membership = startMembership({
        kafka,
        group,
        topics: topics.map(({ topic }) => topic),
        sessionTimeoutMs,
        fetchBytes,
        onJoin: records.begin,
        // Before the rejoin, while the broker still takes commits from the old generation.
        onLeave() {
          void commitOnce()
          records.end()
        },
        onFetched: records.receive,
        onHealth(now, why) {
          report(now, why)
          if (now) joined.resolve()
        },
      })
      const why = await membership.ended
      if (performance.now() - begunAt > stableMs) pauseMs = firstPauseMs
      if (!closing.signal.aborted) report(false, why)
      records.end()
      await membership.leave()
      if (closing.signal.aborted) break
      log.warn({ group, why, retryInMs: pauseMs }, "consumer starts over")
      await sleep(pauseMs, undefined, { signal: closing.signal }).catch(() => {})
      pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    }
    healthy = false
  }
  const member = stayMember()

  async function drain(deadlineMs: number): Promise<{ drained: boolean }> {
    const start = Date.now()
    // Kept back for the last commit and for leaving, which spares the group a session timeout.
    const reserveMs = Math.min(2_000, deadlineMs / 4)
    const left = () => start + deadlineMs - Date.now()
    records.stop()
    while (room.used() > 0 && left() > reserveMs) await room.changed(left() - reserveMs)
    clearInterval(commitTimer)
    const isMember = healthy
    if (committing) await withinDeadline(committing, left(), false)
    const committed = await withinDeadline(commit(), left(), false)
    const drained = room.used() === 0 && isMember && committed
    closing.abort()
    membership?.end("closed")
    await withinDeadline(member, left(), null)
    return { drained }
  }

  let closed: Promise<{ drained: boolean }> | null = null
  const consumer: Consumer = {
    outstanding: () => room.used(),
    healthy: () => healthy,
    async lag() {
      // One for all who ask meanwhile: each takes connections to the broker, and may wait for one that hangs.
      asking ??= groupLag(kafka, group, [...delays.keys()]).finally(() => {
        asking = null
      })
      return (await asking).filter(records.isAssigned)
    },
    close(deadlineMs) {
      closed ??= drain(deadlineMs)
      return closed
    },
  }

  if ((await withinDeadline(joined.promise, startDeadlineMs, "late")) === "late") {
    const why = lastReason
    await consumer.close(1_000)
    throw new Error(
      `Consumer group ${group} could not be joined on ${kafka.brokers.join(", ")} within ${startDeadlineMs} ms ` +
        `(${why}). Check that Kafka runs and that the topics ${[...delays.keys()].join(", ")} exist.`,
    )
  }
  return consumer
}
