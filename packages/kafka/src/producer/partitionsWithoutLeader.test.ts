import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { silentLog, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"
import { connectKafka, type KafkaConnection } from "../client/connectKafka.ts"
import { createPartitionChooser } from "./choosePartition.ts"
import { type Producer, startProducer } from "./startProducer.ts"

// Each test leaves all brokers running.
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let kafka: KafkaConnection
let directory: string
let unreplicated: string
let replicated: string

const partitions = [0, 1, 2, 3, 4, 5]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sitewire-leaderless-"))
  const jars = join(import.meta.dirname, "../../../../.sitewire/jars")
  cluster = await startKafkaCluster({ directory, jars, env: process.env, brokers: 3, progress: () => {} })
  const brokers = cluster.brokers.map(({ address }) => address)
  kafka = connectKafka({ brokers, clientId: "leaderless", log: silentLog })
  unreplicated = uniqueName("single")
  replicated = uniqueName("pairs")
  await ensureTopics({
    kafka,
    topics: [{ name: unreplicated, partitions: 6, config: {} }],
    replicationFactor: 1,
  })
  const config = { "min.insync.replicas": "2" }
  await ensureTopics({ kafka, topics: [{ name: replicated, partitions: 6, config }], replicationFactor: 2 })
}, 120_000)

afterAll(async () => {
  await cluster?.stop()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

/** The partitions with a replica on this broker. All must have a leader. */
const partitionsOn = (topic: string, broker: number) =>
  withAdmin(kafka, async (admin) => {
    const [metadata] = (await admin.fetchTopicMetadata({ topics: [topic] })).topics
    return (metadata?.partitions ?? [])
      .filter(({ replicas }) => replicas.includes(broker))
      .map(({ partitionId }) => partitionId)
      .toSorted((a, b) => a - b)
  })

/** Publishes a record to each partition: which partitions acknowledged it, and the time of the slowest. */
async function publishToEach(producer: Producer, topic: string) {
  let tookMs = 0
  const why: string[] = []
  const outcomes = await Promise.all(
    partitions.map(async (partition) => {
      const startedAt = performance.now()
      const record = { topic, key: keyFor(partition), value: "x" }
      return producer.publish([record]).then(
        () => {
          tookMs = Math.max(tookMs, performance.now() - startedAt)
          return [partition]
        },
        (error) => {
          why.push(String(error))
          return []
        },
      )
    }),
  )
  return { acknowledged: outcomes.flat(), tookMs, why: why.join() }
}

const keys = new Map<number, string>()
const keyFor = (partition: number) => keys.get(partition) ?? ""
beforeAll(async () => {
  const choose = createPartitionChooser()
  for (let n = 0; keys.size < partitions.length; n++)
    keys.set(choose(`key-${n}`, partitions.length, []), `key-${n}`)
})

test("while a broker is down, only partitions with a leader acknowledge, at once; after its restart all do", {
  timeout: 120_000,
}, async () => {
  const producer = await startProducer({ kafka, deadlineMs: 4_000 })
  const [, second] = cluster.brokers
  const leaderless = await partitionsOn(unreplicated, 2)
  const withLeader = partitions.filter((partition) => !leaderless.includes(partition))
  expect(leaderless.length).toBe(2)
  expect((await publishToEach(producer, unreplicated)).acknowledged).toEqual(partitions)
  expect(await producer.check(unreplicated, 1_000)).toEqual({ status: "available" })
  await second?.halt("kill")

  // At once after the kill, and later when the cluster has noticed, also for a producer that starts then.
  const afterKill = await publishToEach(producer, unreplicated)
  expect(afterKill).toMatchObject({ acknowledged: withLeader })
  expect(afterKill.tookMs).toBeLessThan(2_000)
  const partial = { status: "partial", unavailable: leaderless, partitions: 6 }
  expect(await producer.check(unreplicated, 1_000)).toMatchObject(partial)
  await until(async () => {
    const state = await producer.check(unreplicated, 1_000)
    return state.status === "partial" && /has no leader/.test(state.why)
  })
  const newcomer = await startProducer({ kafka, deadlineMs: 2_000 })
  for (const each of [producer, newcomer]) {
    const later = await publishToEach(each, unreplicated)
    expect(later).toMatchObject({ acknowledged: withLeader })
    expect(later.why).toMatch(/has no leader/)
    expect(later.tookMs).toBeLessThan(1_000)
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
  await until(async () => (await producer.check(unreplicated, 1_000)).status === "available", 30_000)
  expect((await publishToEach(producer, unreplicated)).acknowledged).toEqual(partitions)
  await producer.close(1_000)
  await newcomer.close(1_000)
})

test("a record is acknowledged only when as many replicas have it as the topic requires", {
  timeout: 120_000,
}, async () => {
  // With acks=1 the leader alone would acknowledge. If it then failed, the record would be lost.
  const producer = await startProducer({ kafka, deadlineMs: 3_000 })
  const [, second] = cluster.brokers
  await until(
    async () => (await publishToEach(producer, replicated)).acknowledged.length === partitions.length,
    30_000,
  )
  const lacksReplica = await partitionsOn(replicated, 2)
  const complete = partitions.filter((partition) => !lacksReplica.includes(partition))
  await second?.halt("kill")
  await until(async () => {
    const { acknowledged, why } = await publishToEach(producer, replicated)
    return /insync|in-sync/i.test(why) && acknowledged.length === complete.length
  }, 30_000)
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
  await until(async () => (await producer.check(replicated, 1_000)).status === "available", 30_000)
  await producer.close(1_000)
})

test("while all brokers are down the topic is reported unavailable, and afterwards available, without publishing", {
  timeout: 120_000,
}, async () => {
  const producer = await startProducer({ kafka, deadlineMs: 2_000 })
  await until(async () => (await producer.check(replicated, 1_000)).status === "available", 30_000)
  await Promise.all(cluster.brokers.map((broker) => broker.halt("kill")))
  const killedAt = performance.now()
  await until(async () => (await producer.check(replicated, 1_000)).status === "unavailable")
  expect(performance.now() - killedAt).toBeLessThan(4_000)
  await Promise.all(cluster.brokers.map((broker) => broker.resume()))
  await until(async () => (await producer.check(replicated, 1_000)).status === "available", 60_000)
  await producer.close(1_000)
})
