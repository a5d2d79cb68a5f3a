import type { EachBatchPayload } from "kafkajs"
import { createClient, type KafkaConnection } from "../client/connectKafka.ts"
import { withinDeadline } from "../withinDeadline.ts"
import type { Commit, Fetched, Place } from "./dispatchRecords.ts"
import { reasonOf } from "../client/log.ts"
import { readRecord } from "../record.ts"

const heartbeatIntervalMs = 1_000
/** How long the group waits for its members to come back to a rebalance. */
const rebalanceTimeoutMs = 20_000
/** Also how late a delayed record can be after a resume, and how soon a paused member beats again. */
const maxWaitMs = 250

export type MembershipOptions = {
  kafka: KafkaConnection
  group: string
  topics: string[]
  sessionTimeoutMs: number
  fetchBytes: number
  onJoin(places: Place[]): void
  onLeave(): void
  onFetched(fetched: Fetched): Promise<void>
  onHealth(healthy: boolean, why: string): void
}

/** One life of a kafkajs consumer, from connecting to its end, for whatever reason it ends. */
export type Membership = {
  /** Resolves, once, with the reason. */
  ended: Promise<string>
  end(why: string): void
  /** Leaves the group and hangs up, as far as the broker answers. */
  leave(): Promise<void>
  commit(commits: Commit[]): Promise<void>
  pause(place: Place): void
  resume(place: Place): void
}

export function startMembership(options: MembershipOptions): Membership {
  const { kafka, group, topics, sessionTimeoutMs, fetchBytes, onJoin, onLeave, onFetched, onHealth } = options
  const consumer = createClient(kafka, { requestTimeoutMs: 10_000, retries: 2 }).consumer({
    groupId: group,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: Math.min(heartbeatIntervalMs, sessionTimeoutMs / 3),
    rebalanceTimeout: rebalanceTimeoutMs,
    maxWaitTimeInMs: maxWaitMs,
    maxBytesPerPartition: fetchBytes / 4,
    maxBytes: fetchBytes,
    metadataMaxAge: 60_000,
    allowAutoTopicCreation: false,
    // Of its own restarts kafkajs tells nobody when they fail; there is one restart, the caller's.
    retry: { retries: 5, initialRetryTime: 100, maxRetryTime: 1_000, restartOnFailure: async () => false },
  })

  const { promise: ended, resolve } = Promise.withResolvers<string>()
  let over = false
  function end(why: string): void {
    over = true
    clearInterval(watch)
    resolve(why)
  }

  // The payload of the last batch. Its commit goes out once, under the generation of now. `consumer.commitOffsets`
  // tries again by itself: across a rejoin that would commit, with the new generation, what is another member's.
  let lastBatch: EachBatchPayload | null = null

  let lastHeard = Date.now()
  let member = false
  // Who may not read a topic joins well and fails at each fetch.
  let fetched = false
  // Nobody else notices a client that has gone deaf without an error. A join may rightly take long.
  const watch = setInterval(() => {
    const silentMs = Date.now() - lastHeard
    const why = `no heartbeat was answered for ${Math.round(silentMs / 1_000)} s`
    if (silentMs > sessionTimeoutMs) onHealth(false, why)
    if (silentMs > sessionTimeoutMs + rebalanceTimeoutMs) end(why)
  }, 1_000)
  function heard(): void {
    lastHeard = Date.now()
    if (member && fetched && !over) onHealth(true, "fetched and heard")
  }

  // kafkajs joins again in two ways: with every fetch loop stopped (REBALANCING), or from inside one fetch loop (a
  // leader moved, partitions were added). With several brokers another loop may then still bring a batch from
  // before the join, from behind records that were dropped with the old assignment. Taking it would
  // commit past those records; so such a membership ends, and the next one starts from what was committed.
  const fetchingFrom = new Set<number>()

  consumer.on(consumer.events.FETCH_START, ({ payload }) => {
    fetchingFrom.add(payload.nodeId)
    // A coordinator that has just moved answers a join with "loading". kafkajs then goes on with the assignment that
    // was dropped here, and its heartbeats are answered: nothing would be handed over again, for good.
    if (!member) end("the group could not be joined again")
  })
  consumer.on(consumer.events.FETCH, () => {
    if (fetched) return
    fetched = true
    heard()
  })
  consumer.on(consumer.events.HEARTBEAT, heard)
  consumer.on(consumer.events.REBALANCING, () => {
    if (over) return
    member = false
    fetchingFrom.clear()
    onLeave()
  })
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    if (over) return
    if (fetchingFrom.size > 1) {
      end("the group was joined again while several brokers were being fetched from")
      return
    }
    member = true
    const places = Object.entries(payload.memberAssignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ topic, partition })),
    )
    kafka.log.info({ group, partitions: places.length, tookMs: payload.duration }, "consumer group joined")
    onJoin(places)
    heard()
  })
  consumer.on(consumer.events.CRASH, ({ payload }) => end(reasonOf(payload.error)))

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    if (over) return
    lastBatch = payload
    const { topic, partition, messages } = payload.batch
    await onFetched({
      topic,
      partition,
      records: messages.map((message) => readRecord(topic, partition, message)),
      moveOn: payload.resolveOffset,
      heartbeat: payload.heartbeat,
    })
  }

  async function join(): Promise<void> {
    await consumer.connect()
    await consumer.subscribe({ topics, fromBeginning: true })
    if (!over) await consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch })
  }
  const joining = join().catch((error: unknown) => end(reasonOf(error)))

  return {
    ended,
    end,
    async leave() {
      // A connect or join under way cannot be broken off, only outlived; disconnecting ends what it began.
      const hangUp = async () => {
        await withinDeadline(joining, 5_000, null)
        await consumer.disconnect()
      }
      await withinDeadline(
        hangUp().catch((error: unknown) => kafka.log.debug({ group, why: reasonOf(error) }, "hung up badly")),
        10_000,
        null,
      )
    },
    async commit(commits) {
      if (over || !lastBatch) throw new Error("Not a member of the group: nothing can be committed.")
      const topics = Map.groupBy(commits, ({ topic }) => topic)
      await lastBatch.commitOffsetsIfNecessary({
        topics: [...topics].map(([topic, partitions]) => ({ topic, partitions })),
      })
    },
    pause: ({ topic, partition }) => ifRunning(() => consumer.pause([{ topic, partitions: [partition] }])),
    resume: ({ topic, partition }) => ifRunning(() => consumer.resume([{ topic, partitions: [partition] }])),
  }
}

/** kafkajs throws when it is told to pause or resume while it is not running; then there is nothing to pause. */
function ifRunning(work: () => void): void {
  try {
    work()
  } catch {}
}
