import { setTimeout as sleep } from "node:timers/promises"
import { type Lag, readLag } from "../admin/groupLag.ts"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { reasonOf } from "../client/log.ts"
import type { ConsumerRecord } from "../record.ts"
import { withinDeadline } from "../withinDeadline.ts"
import { commitOffsets } from "./commitOffsets.ts"
import { dispatchRecords } from "./dispatchRecords.ts"
import { limitOutstanding } from "./limitOutstanding.ts"
import { startMembership } from "./startMembership.ts"

const firstRetryMs = 200
const longestRetryMs = 3_000
export type ConsumerOptions = {
  kafka: KafkaConnection
  group: string
  /**
   * With `delayMs`, a record is dispatched no earlier than `appendedAt + delayMs` by the brokers' clock. The
   * topic must use LogAppendTime, so that the records of a partition become due in order.
   */
  topics: { topic: string; delayMs?: number }[]
  /** How many records may be dispatched and not done, over all partitions. */
  maxOutstanding: number
  /** Maximum size of a fetch response, whose records wait in memory. Default: 4 MiB. */
  fetchBytes?: number
  /** How long after a fetch of few records the next one begins at least. Default: at once. */
  pauseMs?: number
  /**
   * Receives the records of each partition in order, and must return at once. Call `done` for each record, in
   * any order, when its outcome is durable. Until then, no later offset is committed: after a crash or a
   * rebalance, the record comes again. If `onRecords` throws, the consumer restarts.
   */
  onRecords: (records: ConsumerRecord[], done: (record: ConsumerRecord) => void) => void
  sessionTimeoutMs?: number
  startDeadlineMs?: number
  /** If the consumer was a member of the group for this long, the delay before it joins again is reset. */
  stableMs?: number
  onHealth?: (healthy: boolean, why?: string) => void
}

export type Consumer = {
  outstanding(): number
  /** True if the consumer has joined, has fetched, and receives heartbeat responses. */
  healthy(): boolean
  /** The lag of the partitions that this consumer is assigned. Each call opens connections. Rejects if no broker responds. */
  lag(): Promise<Lag[]>
  /**
   * Waits for outstanding records, commits and leaves the group. `drained` is false if the deadline passed or
   * the commit failed: some records are then consumed again. Never rejects.
   */
  close(deadlineMs: number): Promise<{ drained: boolean }>
}

/**
 * Consumes each record at least once. Resolves after the first fetch, or rejects after `startDeadlineMs`. If
 * Kafka or the client fails later, the consumer becomes unhealthy and joins again.
 */
export async function startConsumer(options: ConsumerOptions): Promise<Consumer> {
  const { kafka, group, topics, maxOutstanding, onRecords, onHealth } = options
  const { sessionTimeoutMs = 10_000, startDeadlineMs = 60_000, stableMs = 10_000 } = options
  const { fetchBytes = 4 * 1024 * 1024, pauseMs = 0 } = options
  const { log } = kafka
  const delays = new Map(topics.map(({ topic, delayMs }) => [topic, delayMs ?? 0]))
  const limit = limitOutstanding(maxOutstanding)
  const closing = new AbortController()
  const joined = Promise.withResolvers<void>()

  let healthy = false
  let lastReason = "not joined yet"
  let retryMs = firstRetryMs
  let membership: ReturnType<typeof startMembership> | null = null

  function reportHealth(now: boolean, why: string): void {
    lastReason = why
    if (now === healthy) return
    healthy = now
    if (now) joined.resolve()
    if (now) log.info({ group }, "consumer is healthy")
    else log.error({ group, why }, "consumer is unhealthy")
    onHealth?.(now, why)
  }

  const dispatch = dispatchRecords({
    limit,
    delayMsOf: (topic) => delays.get(topic) ?? 0,
    onRecords,
    pause: (partition) => membership?.pause(partition),
    resume: (partition) => membership?.resume(partition),
    onHandlerError: (error) => membership?.end(`onRecords threw: ${reasonOf(error)}`),
    clock: kafka.clock,
  })

  const offsets = commitOffsets(
    dispatch.pendingCommits,
    (commits) => membership?.commit(commits),
    (error) => log.debug({ group, why: reasonOf(error) }, "offsets were not committed"),
  )

  async function stayMember(): Promise<void> {
    while (!closing.signal.aborted) {
      let memberSince: number | null = null
      membership = startMembership({
        kafka,
        group,
        topics: topics.map(({ topic }) => topic),
        sessionTimeoutMs,
        fetchBytes,
        pauseMs,
        onJoin(partitions) {
          memberSince ??= performance.now()
          dispatch.assign(partitions)
        },
        // Commit before the rejoin: afterwards, the broker rejects commits of this generation.
        onLeave() {
          void offsets.commit()
          dispatch.revoke()
        },
        onFetched: dispatch.onFetched,
        onSkipped: dispatch.onSkipped,
        onHealth: reportHealth,
      })
      const why = await membership.ended
      if (performance.now() - (memberSince ?? Number.POSITIVE_INFINITY) > stableMs) retryMs = firstRetryMs
      if (!closing.signal.aborted) reportHealth(false, why)
      dispatch.revoke()
      await membership.leave()
      if (closing.signal.aborted) break
      log.warn({ group, why, retryInMs: retryMs }, "consumer restarts")
      await sleep(retryMs, undefined, { signal: closing.signal }).catch(() => {})
      retryMs = Math.min(longestRetryMs, retryMs * 2)
    }
    healthy = false
  }
  const member = stayMember()

  async function drain(deadlineMs: number): Promise<{ drained: boolean }> {
    const start = performance.now()
    // Time to commit and to leave the group. If it did not leave, no other member would get its partitions
    // before the session timeout.
    const reserveMs = Math.min(2_000, deadlineMs / 4)
    const remainingMs = () => start + deadlineMs - performance.now()
    dispatch.stop()
    while (limit.outstanding() > 0 && remainingMs() > reserveMs)
      await limit.changed(remainingMs() - reserveMs)
    const isMember = healthy
    const committed = await offsets.commitLast(remainingMs)
    const drained = limit.outstanding() === 0 && isMember && committed
    closing.abort()
    membership?.end("closed")
    await withinDeadline(member, remainingMs(), null)
    return { drained }
  }

  let closed: Promise<{ drained: boolean }> | null = null
  const consumer: Consumer = {
    outstanding: () => limit.outstanding(),
    healthy: () => healthy,
    lag: async () => (await readLag(kafka, group, [...delays.keys()])).lags.filter(dispatch.isAssigned),
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
