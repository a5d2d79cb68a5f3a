import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { silent, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { createPartitionChooser } from "./choosePartition.ts"
import { connectKafka, type KafkaConnection } from "../client/connectKafka.ts"
import { type Producer, startProducer } from "./startProducer.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"

// Each test leaves the second broker as it was.
let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let kafka: KafkaConnection
let directory: string
let single: string
let pairs: string

const partitions = [0, 1, 2, 3, 4, 5]

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sitewire-leaderless-"))
  const jars = join(import.meta.dirname, "../../../../.sitewire/jars")
  cluster = await startKafkaCluster({ directory, jars, env: process.env, brokers: 3, progress: () => {} })
  const brokers = cluster.brokers.map(({ address }) => address)
  kafka = connectKafka({ brokers, clientId: "leaderless", log: silent })
  single = uniqueName("single")
  pairs = uniqueName("pairs")
  await ensureTopics({ kafka, topics: [{ name: single, partitions: 6, config: {} }], replicationFactor: 1 })
  const config = { "min.insync.replicas": "2" }
  await ensureTopics({ kafka, topics: [{ name: pairs, partitions: 6, config }], replicationFactor: 2 })
}, 120_000)

afterAll(async () => {
  await cluster?.stop()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

/** The partitions with a replica on this broker, asked while all have a leader. */
const partitionsOn = (topic: string, broker: number) =>
  withAdmin(kafka, async (admin) => {
    const [metadata] = (await admin.fetchTopicMetadata({ topics: [topic] })).topics
    return (metadata?.partitions ?? [])
      .filter(({ replicas }) => replicas.includes(broker))
      .map(({ partitionId }) => partitionId)
      .toSorted((a, b) => a - b)
  })

/** Which of the topic's partitions acknowledge a record of each, and for how long the slowest of those took. */
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

test("with a broker killed, partitions that have a leader acknowledge at once, the others not; all do after it is back", {
  timeout: 120_000,
}, async () => {
  const producer = await startProducer({ kafka, deadlineMs: 4_000 })
  const [, second] = cluster.brokers
  const lost = await partitionsOn(single, 2)
  const kept = partitions.filter((partition) => !lost.includes(partition))
  expect(lost.length).toBe(2)
  expect((await publishToEach(producer, single)).acknowledged).toEqual(partitions)
  expect(await producer.check(single, 1_000)).toEqual({ status: "available" })
  await second?.halt("kill")

  // From the moment on when it is killed, and later when the cluster has noticed, for a producer of then too.
  const atOnce = await publishToEach(producer, single)
  expect(atOnce).toMatchObject({ acknowledged: kept })
  expect(atOnce.tookMs).toBeLessThan(2_000)
  const partial = { status: "partial", unavailable: lost, partitions: 6 }
  expect(await producer.check(single, 1_000)).toMatchObject(partial)
  await until(async () => {
    const state = await producer.check(single, 1_000)
    return state.status === "partial" && /has no leader/.test(state.why)
  })
  const newcomer = await startProducer({ kafka, deadlineMs: 2_000 })
  for (const each of [producer, newcomer]) {
    const later = await publishToEach(each, single)
    expect(later).toMatchObject({ acknowledged: kept })
    expect(later.why).toMatch(/has no leader/)
    expect(later.tookMs).toBeLessThan(1_000)
    expect(await each.check(single, 1_000)).toMatchObject(partial)
  }
  // Of one call, and of one partition's queue, the records without a leader concern nobody else.
  const mixed = producer.publish(
    partitions.map((partition) => ({ topic: single, key: keyFor(partition), value: "x" })),
  )
  const alone = producer.publish([{ topic: single, key: keyFor(kept[0] ?? 0), value: "x" }])
  await alone
  await expect(mixed).rejects.toThrow(/has no leader/)

  await second?.resume()
  await until(async () => (await producer.check(single, 1_000)).status === "available", 30_000)
  expect((await publishToEach(producer, single)).acknowledged).toEqual(partitions)
  await producer.close(1_000)
  await newcomer.close(1_000)
})

test("a record is acknowledged only when all replicas that the topic asks for have it", {
  timeout: 120_000,
}, async () => {
  // With acks=1 the leader alone would acknowledge, and lose the record when it fails.
  const producer = await startProducer({ kafka, deadlineMs: 3_000 })
  const [, second] = cluster.brokers
  await until(
    async () => (await publishToEach(producer, pairs)).acknowledged.length === partitions.length,
    30_000,
  )
  const short = await partitionsOn(pairs, 2)
  const whole = partitions.filter((partition) => !short.includes(partition))
  await second?.halt("kill")
  await until(async () => {
    const { acknowledged, why } = await publishToEach(producer, pairs)
    return /insync|in-sync/i.test(why) && acknowledged.length === whole.length
  }, 30_000)
  expect((await publishToEach(producer, pairs)).acknowledged).toEqual(whole)
  // The others are presumed no better unless they have acknowledged within the last seconds.
  await Promise.all(
    whole.map((partition) => producer.publish([{ topic: pairs, key: keyFor(partition), value: "x" }])),
  )
  expect(await producer.check(pairs, 1_000)).toMatchObject({ status: "partial", unavailable: short })
  await second?.resume()
  await until(async () => (await producer.check(pairs, 1_000)).status === "available", 30_000)
  await producer.close(1_000)
})

test("with every broker away the topic is unavailable within seconds, without a record published, and back without one", {
  timeout: 120_000,
}, async () => {
  const producer = await startProducer({ kafka, deadlineMs: 2_000 })
  await until(async () => (await producer.check(pairs, 1_000)).status === "available", 30_000)
  await Promise.all(cluster.brokers.map((broker) => broker.halt("kill")))
  const killedAt = performance.now()
  await until(async () => (await producer.check(pairs, 1_000)).status === "unavailable")
  expect(performance.now() - killedAt).toBeLessThan(4_000)
  await Promise.all(cluster.brokers.map((broker) => broker.resume()))
  await until(async () => (await producer.check(pairs, 1_000)).status === "available", 60_000)
  await producer.close(1_000)
})
