import { setTimeout as sleep } from "node:timers/promises"
import type { EachBatchPayload } from "kafkajs"
import type { KafkaConnection } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { reasonOf } from "../client/log.ts"
import { endAfterClockSetBack } from "../client/workarounds/clockSetBackStopsHeartbeats.ts"
import { commitWithoutRetry } from "../client/workarounds/commitRetriedAcrossRejoin.ts"
import { endAfterFailedRejoin } from "../client/workarounds/failedRejoinIgnored.ts"
import { shortestWaitMs } from "../client/workarounds/idleFetchesTooFrequent.ts"
import { watchHeartbeats } from "../client/workarounds/lostHeartbeatsUnreported.ts"
import { ignoreIfNotRunning } from "../client/workarounds/pauseThrowsWhileStopped.ts"
import { endAfterUnsafeRejoin } from "../client/workarounds/rejoinWhileFetching.ts"
import { readRecord } from "../record.ts"
import { withinDeadline } from "../withinDeadline.ts"
import type { FetchedBatch, SkippedBatch } from "./assignedPartition.ts"
import type { OffsetCommit, TopicPartition } from "./topicPartition.ts"

const heartbeatIntervalMs = 1_000
const rebalanceTimeoutMs = 20_000
/** After a partition's batch of so many records, more may wait, so the next fetch begins at once. */
const manyRecords = 500

export type MembershipOptions = {
  kafka: KafkaConnection
  group: string
  topics: string[]
  sessionTimeoutMs: number
  fetchBytes: number
  pauseMs: number
  onJoin(partitions: TopicPartition[]): void
  onLeave(): void
  onFetched(fetched: FetchedBatch): Promise<void>
  onSkipped(skipped: SkippedBatch): void
  onHealth(healthy: boolean, why: string): void
}

export function startMembership(options: MembershipOptions) {
  const { kafka, group, topics, sessionTimeoutMs, fetchBytes, pauseMs } = options
  const { onJoin, onLeave, onFetched, onSkipped, onHealth } = options
  const consumer = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).consumer({
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: Math.min(heartbeatIntervalMs, sessionTimeoutMs / 3),
    rebalanceTimeout: rebalanceTimeoutMs,
    maxWaitTimeInMs: shortestWaitMs,
    maxBytesPerPartition: fetchBytes / 4,
    maxBytes: fetchBytes,
    metadataMaxAge: 60_000,
    allowAutoTopicCreation: false,
    // kafkajs does not report it if its own restart fails, so `startConsumer` restarts instead.
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
  })

  const { promise: ended, resolve } = Promise.withResolvers<string>()
  let hasEnded = false
  function end(why: string): void {
    hasEnded = true
    heartbeats.stop()
    clockWatch.stop()
    resolve(why)
  }

  const heartbeats = watchHeartbeats(consumer, sessionTimeoutMs, (silentMs) => {
    const why = `no heartbeat response for ${Math.round(silentMs / 1_000)} s`
    onHealth(false, why)
    // During a rebalance, members send no heartbeats.
    if (silentMs > sessionTimeoutMs + rebalanceTimeoutMs) end(why)
  })
  const clockWatch = endAfterClockSetBack(consumer, sessionTimeoutMs, end)
  endAfterUnsafeRejoin(consumer, end)
  endAfterFailedRejoin(consumer, end)

  let lastBatch: EachBatchPayload | null = null
  let joined = false
  // Joining is not enough: a member without permission to read joins successfully and fails at each fetch.
  let fetched = false
  function reportIfHealthy(): void {
    if (joined && fetched && !hasEnded) onHealth(true, "joined and fetched")
  }

  let pauseUntil = 0
  consumer.on(consumer.events.FETCH, () => {
    pauseUntil = performance.now() + pauseMs
    if (fetched) return
    fetched = true
    reportIfHealthy()
  })
  consumer.on(consumer.events.HEARTBEAT, reportIfHealthy)
  consumer.on(consumer.events.REBALANCING, () => {
    if (hasEnded) return
    joined = false
    onLeave()
  })
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (hasEnded) return
    joined = true
    const assigned = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    )
    kafka.log.info({ group, partitions: assigned.length, tookMs: payload.duration }, "consumer group joined")
    onJoin(assigned)
    reportIfHealthy()
  })
  consumer.on(consumer.events.END_BATCH_PROCESS, ({ payload: { batchSize, firstOffset, ...rest } }) => {
    if (batchSize === 0 && firstOffset !== null && !hasEnded) onSkipped({ ...rest, firstOffset })
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => end(reasonOf(payload.error)))

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    if (hasEnded) return
    lastBatch = payload
    const { topic, partition, messages } = payload.batch
    await onFetched({
      topic,
      partition,
      records: messages.map((message) => readRecord(topic, partition, message)),
      lastOffset: payload.batch.lastOffset(),
      resolveOffset: payload.resolveOffset,
      heartbeat: payload.heartbeat,
    })
    const waitMs = pauseUntil - performance.now()
    if (waitMs > 0 && messages.length < manyRecords) await sleep(waitMs)
  }

  async function join(): Promise<void> {
    await consumer.connect()
    await consumer.subscribe({ topics, fromBeginning: true })
    if (!hasEnded) await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })
  }
  const joining = join().catch((error: unknown) => end(reasonOf(error)))

  return {
    ended,
    end,
    async leave(): Promise<void> {
      // Wait first, because a pending connect or join cannot be cancelled.
      const disconnect = async () => {
        await withinDeadline(joining, 5_000, null)
        await consumer.disconnect()
      }
      const disconnecting = disconnect().catch((error: unknown) =>
        kafka.log.debug({ group, why: reasonOf(error) }, "consumer did not disconnect cleanly"),
      )
      await withinDeadline(disconnecting, 10_000, null)
    },
    async commit(commits: OffsetCommit[]): Promise<void> {
      if (hasEnded || !lastBatch) throw new Error("Not a member of the group: nothing can be committed.")
      await commitWithoutRetry(lastBatch, commits)
    },
    pause: ({ topic, partition }: TopicPartition) =>
      ignoreIfNotRunning(() => consumer.pause([{ topic, partitions: [partition] }])),
    resume: ({ topic, partition }: TopicPartition) =>
      ignoreIfNotRunning(() => consumer.resume([{ topic, partitions: [partition] }])),
  }
}
