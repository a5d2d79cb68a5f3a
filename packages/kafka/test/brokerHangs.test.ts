import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ensureTopics } from "../src/admin/ensureTopics.ts"
import { requireTopics } from "../src/admin/requireTopics.ts"
import { checkBroker } from "../src/client/checkBroker.ts"
import { connectKafka, type KafkaConnection } from "../src/client/connectKafka.ts"
import { isProtocolError } from "../src/client/isProtocolError.ts"
import { startConsumer } from "../src/consumer/startConsumer.ts"
import { startProducer } from "../src/producer/startProducer.ts"
import { committedOffsets, makeTopic, silentLog, uniqueName, withAdmin } from "./fixtures/realBroker.ts"
import { until } from "./fixtures/until.ts"

let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let kafka: KafkaConnection
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sitewire-cluster-"))
  const jars = join(import.meta.dirname, "../../../.sitewire/jars")
  cluster = await startKafkaCluster({ directory, jars, env: process.env, brokers: 2, progress: () => {} })
  const brokers = cluster.brokers.map(({ address }) => address)
  kafka = connectKafka({ brokers, clientId: "cluster", log: silentLog })
}, 120_000)

afterAll(async () => {
  await cluster?.stop()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

/** How many brokers lead a partition of the topic; 0 while the request fails. */
const leading = (topic: string) =>
  withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return new Set(topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader))).size
  }).catch(() => 0)

test("while one broker of two is killed, restarts and hangs, every acknowledged record is consumed and committed", {
  timeout: 300_000,
}, async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 6 }), uniqueName("group")]
  await until(async () => (await leading(topic)) === 2, 20_000)
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
    await until(() => acknowledged.length >= goal, 60_000)
    const expected = acknowledged.slice(0, goal)
    // More than half a minute if the hanging broker coordinates the group.
    await until(() => expected.every((value) => seen.has(value)), 100_000)
  }

  await waitForMore(400)
  const [, second] = cluster.brokers
  await second?.halt("kill")
  await until(async () => (await leading(topic)) === 1, 30_000)
  await waitForMore(400)
  await second?.resume()
  await until(async () => (await leading(topic)) === 2, 30_000)
  await waitForMore(400)
  const hung = second?.pid
  if (!hung) throw new Error("the second broker has no process")
  process.kill(hung, "SIGSTOP")
  // A few seconds later the first broker leads all partitions.
  await waitForMore(400)
  process.kill(hung, "SIGCONT")
  publishing = false
  await publisher
  await waitForMore(0)

  await until(() => consumer.healthy(), 20_000)
  const allCommitted = async () => {
    const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))
    const committed = await committedOffsets(kafka, group, topic)
    return ends.every(({ partition, offset }) => committed[partition] === offset)
  }
  // Requests fail while the group's coordinator moves back to that broker.
  await until(() => allCommitted().catch(() => false), 30_000)
  expect(acknowledged.filter((value) => !seen.has(value))).toEqual([])
  await consumer.close(5_000)
  await producer.close(5_000)
})

test("while one broker of two hangs or is down, the cluster counts as reachable, whichever topic lacks a leader", {
  timeout: 120_000,
}, async () => {
  const topic = await makeTopic(kafka)
  const leaderless = uniqueName("topic")
  await ensureTopics({
    kafka,
    topics: [{ name: leaderless, partitions: 6, config: {} }],
    replicationFactor: 1,
  })
  await until(async () => (await leading(leaderless)) === 2, 20_000)
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
  const isLeaderless = () =>
    withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [leaderless] })).then(
      () => false,
      (error: unknown) => isProtocolError(error, "LEADER_NOT_AVAILABLE"),
    )
  await until(isLeaderless, 30_000)
  await expectReachable()
  await requireTopics(kafka, [topic, leaderless])
  await expect(requireTopics(kafka, [topic, "never-created"])).rejects.toThrow("missing: never-created")
})
