import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ensureTopics } from "../src/admin/ensureTopics.ts"
import { readBacklog } from "../src/admin/readBacklog.ts"
import { requireTopics } from "../src/admin/requireTopics.ts"
import { checkBroker } from "../src/client/checkBroker.ts"
import { connectKafka, type KafkaConnection } from "../src/client/connectKafka.ts"
import { startConsumer } from "../src/consumer/startConsumer.ts"
import { createPartitionChooser } from "../src/producer/choosePartition.ts"
import { type Producer, startProducer } from "../src/producer/startProducer.ts"
import { committedOffsets, makeTopic, silentLog, uniqueName, withAdmin } from "./fixtures/realBroker.ts"
import { until } from "./fixtures/until.ts"

// Each test leaves all brokers running.
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let kafka: KafkaConnection
let directory: string
let unreplicated: string
let replicated: string

const partitions = [0, 1, 2, 3, 4, 5]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sitewire-cluster-"))
  const jars = join(import.meta.dirname, "../../../.sitewire/jars")
  cluster = await startKafkaCluster({ directory, jars, env: process.env, brokers: 3, progress: () => {} })
  const brokers = cluster.brokers.map(({ address }) => address)
  kafka = connectKafka({ brokers, clientId: "cluster", log: silentLog })
  unreplicated = uniqueName("single")
  replicated = uniqueName("pairs")
  await ensureTopics({
    kafka,
    topics: [{ name: unreplicated, partitions: 6, config: {} }],
    replicationFactor: 1,
  })
  const config = { "min.insync.replicas": "2" }
  await ensureTopics({ kafka, topics: [{ name: replicated, partitions: 6, config }], replicationFactor: 2 })
})

afterAll(async () => {
  await cluster?.stop()
  await rm(directory, { recursive: true, force: true })
})

/** The partitions with a replica on this broker. All must have a leader. */
const partitionsOn = (topic: string, broker: number) =>
  withAdmin(kafka, async (admin) => {
    const [metadata] = (await admin.fetchTopicMetadata({ topics: [topic] })).topics
    return (metadata?.partitions ?? [])
      .filter(({ replicas }) => replicas.includes(broker))
      .map(({ partitionId }) => partitionId)
      .toSorted((a, b) => a - b)
  })

/** Publishes a record to each partition: which partitions acknowledged it, and whether all of these did so before the first failure. */
async function publishToEach(producer: Producer, topic: string) {
  let acknowledgedFirst = true
  const why: string[] = []
  const outcomes = await Promise.all(
    partitions.map(async (partition) => {
      const record = { topic, key: keyFor(partition), value: "x" }
      return producer.publish([record]).then(
        () => {
          acknowledgedFirst &&= why.length === 0
          return [partition]
        },
        (error) => {
          why.push(String(error))
          return []
        },
      )
    }),
  )
  return { acknowledged: outcomes.flat(), acknowledgedFirst, why: why.join() }
}

const keys = new Map<number, string>()
const keyFor = (partition: number) => keys.get(partition) ?? ""
beforeAll(async () => {
  const choose = createPartitionChooser()
  for (let n = 0; keys.size < partitions.length; n++)
    keys.set(choose(`key-${n}`, partitions.length, []), `key-${n}`)
})

test("while a broker is down, only partitions with a leader acknowledge, at once; after its restart all do", async () => {
  const producer = await startProducer({ kafka, deadlineMs: 8_000 })
  const [, second] = cluster.brokers
  const leaderless = await partitionsOn(unreplicated, 2)
  const withLeader = partitions.filter((partition) => !leaderless.includes(partition))
  expect(leaderless.length).toBe(2)
  expect((await publishToEach(producer, unreplicated)).acknowledged).toEqual(partitions)
  expect(await producer.check(unreplicated, 1_000)).toEqual({ status: "available" })
  await second?.halt("kill")

  // At once after the kill, and later when the cluster has noticed, also for a producer that starts then.
  const afterKill = await publishToEach(producer, unreplicated)
  expect(afterKill).toMatchObject({ acknowledged: withLeader, acknowledgedFirst: true })
  const partial = { status: "partial", unavailable: leaderless, partitions: 6 }
  expect(await producer.check(unreplicated, 1_000)).toMatchObject(partial)
  await until(async () => {
    const state = await producer.check(unreplicated, 1_000)
    return state.status === "partial" && /has no leader/.test(state.why)
  })
  const newcomer = await startProducer({ kafka, deadlineMs: 8_000 })
  for (const each of [producer, newcomer]) {
    const later = await publishToEach(each, unreplicated)
    expect(later).toMatchObject({ acknowledged: withLeader })
    expect(later.why).toMatch(/has no leader/)
    expect(await each.check(unreplicated, 1_000)).toMatchObject(partial)
  }
  // In one call, records without a leader do not delay the records of other calls.
  const mixed = producer.publish(
    partitions.map((partition) => ({ topic: unreplicated, key: keyFor(partition), value: "x" })),
  )
  const alone = producer.publish([{ topic: unreplicated, key: keyFor(withLeader[0] ?? 0), value: "x" }])
  await alone
  await expect(mixed).rejects.toThrow(/has no leader/)

  await second?.resume()
  await until(async () => (await producer.check(unreplicated, 1_000)).status === "available")
  expect((await publishToEach(producer, unreplicated)).acknowledged).toEqual(partitions)
  await producer.close(1_000)
  await newcomer.close(1_000)
})

test("while a broker is down, consumers read the partitions that have a leader, also one that starts then", async () => {
  const topic = uniqueName("topic")
  await ensureTopics({ kafka, topics: [{ name: topic, partitions: 6, config: {} }], replicationFactor: 1 })
  const producer = await startProducer({ kafka, deadlineMs: 3_000 })
  async function startReader() {
    const read = new Set<number>()
    const consumer = await startConsumer({
      kafka,
      group: uniqueName("group"),
      topics: [{ topic }],
      maxOutstanding: 100,
      onRecords(records, done) {
        for (const record of records) {
          read.add(record.partition)
          done(record)
        }
      },
    })
    return { read, consumer }
  }
  const reader = await startReader()
  await until(async () => (await publishToEach(producer, topic)).acknowledged.length === 6)
  await until(() => reader.read.size === 6)
  const [, second] = cluster.brokers
  const leaderless = await partitionsOn(topic, 2)
  await second?.halt("kill")
  // Records that only the consumer can be late for.
  await until(async () => (await publishToEach(producer, topic)).why.includes("has no leader"))
  reader.read.clear()
  const { acknowledged } = await publishToEach(producer, topic)
  expect(acknowledged).toEqual(partitions.filter((partition) => !leaderless.includes(partition)))
  const newcomer = await startReader()
  const lagging = async ({ consumer }: typeof reader) =>
    (await consumer.lag()).map(({ partition }) => partition)
  for (const each of [reader, newcomer]) {
    const { read, consumer } = each
    await until(() => consumer.healthy() && acknowledged.every((partition) => read.has(partition)))
    expect(await lagging(each)).toEqual(acknowledged)
  }
  expect(await readBacklog(kafka, [{ topic, group: null }], 8_000)).toMatchObject([
    { unreadable: leaderless.map((partition) => ({ partition, why: "it has no leader" })) },
  ])

  await second?.resume()
  await until(async () => (await publishToEach(producer, topic)).acknowledged.length === 6)
  for (const { read } of [reader, newcomer]) await until(() => read.size === 6)
  for (const { consumer } of [reader, newcomer]) await consumer.close(5_000)
  await producer.close(1_000)
})

test("a record is acknowledged only when as many replicas have it as the topic requires", async () => {
  // With acks=1 the leader alone would acknowledge. If it then failed, the record would be lost.
  const producer = await startProducer({ kafka, deadlineMs: 3_000 })
  const [, second] = cluster.brokers
  await until(
    async () => (await publishToEach(producer, replicated)).acknowledged.length === partitions.length,
  )
  const lacksReplica = await partitionsOn(replicated, 2)
  const complete = partitions.filter((partition) => !lacksReplica.includes(partition))
  await second?.halt("kill")
  await until(async () => {
    const { acknowledged, why } = await publishToEach(producer, replicated)
    return /insync|in-sync/i.test(why) && acknowledged.length === complete.length
  })
  expect((await publishToEach(producer, replicated)).acknowledged).toEqual(complete)
  // Partitions of the same leaders count as failing too unless they acknowledged within the last seconds.
  await Promise.all(
    complete.map((partition) =>
      producer.publish([{ topic: replicated, key: keyFor(partition), value: "x" }]),
    ),
  )
  expect(await producer.check(replicated, 1_000)).toMatchObject({
    status: "partial",
    unavailable: lacksReplica,
  })
  await second?.resume()
  await until(async () => (await producer.check(replicated, 1_000)).status === "available")
  await producer.close(1_000)
})

test("while all brokers are down the topic is reported unavailable, and afterwards available, without publishing", async () => {
  const producer = await startProducer({ kafka, deadlineMs: 2_000 })
  await until(async () => (await producer.check(replicated, 1_000)).status === "available")
  await Promise.all(cluster.brokers.map((broker) => broker.halt("kill")))
  const killedAt = performance.now()
  await until(async () => (await producer.check(replicated, 1_000)).status === "unavailable")
  expect(performance.now() - killedAt).toBeLessThan(4_000)
  await Promise.all(cluster.brokers.map((broker) => broker.resume()))
  await until(async () => (await producer.check(replicated, 1_000)).status === "available")
  await producer.close(1_000)
})

/** How many brokers lead a partition of the topic; 0 while the request fails. */
const leading = (topic: string) =>
  withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    const leaders = topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader))
    return new Set(leaders.filter((leader) => leader >= 0)).size
  }).catch(() => 0)

test("while one broker of three is killed, restarts and hangs, every acknowledged record is consumed and committed", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 6 }), uniqueName("group")]
  await until(async () => (await leading(topic)) === 3)
  const producer = await startProducer({ kafka, deadlineMs: 5_000 })
  const seen = new Set<string>()
  const consumer = await startConsumer({
    kafka,
    group,
    topics: [{ topic }],
    maxOutstanding: 100,
    sessionTimeoutMs: 6_000,
    onRecords(records, done) {
      // Later and in another order, as deliveries end.
      setTimeout(() => {
        for (const record of records.toReversed()) {
          seen.add(record.value?.toString() ?? "")
          done(record)
        }
      }, 5)
    },
  })

  const acknowledged: string[] = []
  let next = 0
  let publishing = true
  const publisher = (async () => {
    while (publishing) {
      const values = Array.from({ length: 20 }, () => String(next++))
      const records = values.map((value) => ({ topic, key: value, value }))
      const isAcknowledged = await producer.publish(records).then(
        () => true,
        () => false,
      )
      if (isAcknowledged) acknowledged.push(...values)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  /** Waits until `count` more records are acknowledged, and all acknowledged ones consumed. */
  const waitForMore = async (count: number) => {
    const goal = acknowledged.length + count
    await until(() => acknowledged.length >= goal)
    const expected = acknowledged.slice(0, goal)
    // It takes more than half a minute if the hanging broker coordinates the group.
    await until(() => expected.every((value) => seen.has(value)))
  }

  await waitForMore(400)
  const [, second] = cluster.brokers
  await second?.halt("kill")
  await until(async () => (await leading(topic)) === 2)
  await waitForMore(400)
  await second?.resume()
  await until(async () => (await leading(topic)) === 3)
  await waitForMore(400)
  const hung = second?.pid
  if (!hung) throw new Error("the second broker has no process")
  process.kill(hung, "SIGSTOP")
  // A few seconds later the others lead all partitions.
  await waitForMore(400)
  process.kill(hung, "SIGCONT")
  publishing = false
  await publisher
  await waitForMore(0)

  await until(() => consumer.healthy())
  const allCommitted = async () => {
    const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))
    const committed = await committedOffsets(kafka, group, topic)
    return ends.every(({ partition, offset }) => committed[partition] === offset)
  }
  // Requests fail while the group's coordinator moves back to that broker.
  await until(() => allCommitted().catch(() => false))
  expect(acknowledged.filter((value) => !seen.has(value))).toEqual([])
  await consumer.close(5_000)
  await producer.close(5_000)
})

test("while one broker of three hangs or is down, the cluster counts as reachable, whichever topic lacks a leader", async () => {
  const topic = await makeTopic(kafka)
  const leaderless = uniqueName("topic")
  await ensureTopics({
    kafka,
    topics: [{ name: leaderless, partitions: 6, config: {} }],
    replicationFactor: 1,
  })
  await until(async () => (await leading(leaderless)) === 3)
  const [, second] = cluster.brokers
  async function expectReachable(): Promise<void> {
    for (let round = 0; round < 3; round++)
      expect(await checkBroker({ kafka, deadlineMs: 1_000 })).toEqual({ status: "reachable" })
  }

  process.kill(second?.pid ?? 0, "SIGSTOP")
  await expectReachable()
  // Clients connect to the first broker of their list first.
  const hangingFirst = { ...kafka, brokers: kafka.brokers.toReversed() }
  const producer = await startProducer({ kafka: hangingFirst, deadlineMs: 6_000 })
  await producer.close(1_000)
  process.kill(second?.pid ?? 0, "SIGCONT")

  await second?.halt("kill")
  await expectReachable()
  await until(async () => (await leading(leaderless)) === 2)
  await expect(withAdmin(kafka, (admin) => admin.fetchTopicOffsets(leaderless))).rejects.toThrow("no leader")
  await expectReachable()
  await requireTopics(kafka, [topic, leaderless])
  await expect(requireTopics(kafka, [topic, "never-created"])).rejects.toThrow("missing: never-created")
})
