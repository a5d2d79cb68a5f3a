import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startKafkaCluster } from "@sitewire/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { committedOffsets, makeTopic, silent, uniqueName, withAdmin } from "./fixtures/realBroker.ts"
import { until } from "./fixtures/until.ts"
import { checkBroker } from "../src/client/checkBroker.ts"
import { connectKafka, type KafkaConnection } from "../src/client/connectKafka.ts"
import { startConsumer } from "../src/consumer/startConsumer.ts"
import { isProtocolError } from "../src/client/isProtocolError.ts"
import { startProducer } from "../src/producer/startProducer.ts"
import { ensureTopics, requireTopics } from "../src/admin/ensureTopics.ts"

let cluster: Awaited<ReturnType<typeof startKafkaCluster>>
let kafka: KafkaConnection
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sitewire-cluster-"))
  const jars = join(import.meta.dirname, "../../../.sitewire/jars")
  cluster = await startKafkaCluster({ directory, jars, env: process.env, brokers: 2, progress: () => {} })
  const brokers = cluster.brokers.map(({ address }) => address)
  kafka = connectKafka({ brokers, clientId: "cluster", log: silent })
}, 120_000)

afterAll(async () => {
  await cluster?.stop()
  await rm(directory, { recursive: true, force: true })
}, 60_000)

/** How many brokers lead a partition of the topic; 0 while the client still asks one that is gone. */
const leading = (topic: string) =>
  withAdmin(kafka, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] })
    return new Set(topics.flatMap(({ partitions }) => partitions.map(({ leader }) => leader))).size
  }).catch(() => 0)

test("a broker of two is killed, comes back and hangs: what was acknowledged is handed over, and all of it is committed", {
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
    take(records, done) {
      // Later and in another order, as deliveries are.
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
      const kept = await producer.publish(records).then(
        () => true,
        () => false,
      )
      if (kept) acknowledged.push(...values)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })()
  /** Until so many more are acknowledged, and all of these have been handed over. */
  const further = async (count: number) => {
    const goal = acknowledged.length + count
    await until(() => acknowledged.length >= goal, 60_000)
    const those = acknowledged.slice(0, goal)
    // Half a minute and more where the broker that hangs coordinates the group.
    await until(() => those.every((value) => seen.has(value)), 100_000)
  }

  await further(400)
  const [, second] = cluster.brokers
  await second?.halt("kill")
  await until(async () => (await leading(topic)) === 1, 30_000)
  await further(400)
  await second?.resume()
  await until(async () => (await leading(topic)) === 2, 30_000)
  await further(400)
  const hung = second?.pid
  if (!hung) throw new Error("the second broker has no process")
  process.kill(hung, "SIGSTOP")
  // While it hangs: the first broker leads everything a few seconds later.
  await further(400)
  process.kill(hung, "SIGCONT")
  publishing = false
  await publisher
  await further(0)

  await until(() => consumer.healthy(), 20_000)
  const allCommitted = async () => {
    const ends = await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))
    const committed = await committedOffsets(kafka, group, topic)
    return ends.every(({ partition, offset }) => committed[partition] === offset)
  }
  // The group may be moving back to the broker that hung, and nobody can be asked then.
  await until(() => allCommitted().catch(() => false), 30_000)
  expect(acknowledged.filter((value) => !seen.has(value))).toEqual([])
  await consumer.close(5_000)
  await producer.close(5_000)
})

test("while one broker of two hangs or is away the cluster counts as reachable, whoever's topic lacks a leader", {
  timeout: 120_000,
}, async () => {
  const ours = await makeTopic(kafka)
  const lame = uniqueName("topic")
  await ensureTopics({ kafka, topics: [{ name: lame, partitions: 6, config: {} }], replicationFactor: 1 })
  await until(async () => (await leading(lame)) === 2, 20_000)
  const [, second] = cluster.brokers
  async function expectReachable(): Promise<void> {
    for (let round = 0; round < 3; round++)
      expect(await checkBroker({ kafka, deadlineMs: 1_000 })).toEqual({ status: "reachable" })
  }

  process.kill(second?.pid ?? 0, "SIGSTOP")
  await expectReachable()
  // Every client begins with the first broker it is given.
  const hangingFirst = { ...kafka, brokers: kafka.brokers.toReversed() }
  const producer = await startProducer({ kafka: hangingFirst, deadlineMs: 6_000 })
  await producer.close(1_000)
  process.kill(second?.pid ?? 0, "SIGCONT")

  await second?.halt("kill")
  await expectReachable()
  const lacksLeader = () =>
    withAdmin(kafka, (admin) => admin.fetchTopicMetadata({ topics: [lame] })).then(
      () => false,
      (error: unknown) => isProtocolError(error, "LEADER_NOT_AVAILABLE"),
    )
  await until(lacksLeader, 30_000)
  await expectReachable()
  await requireTopics(kafka, [ours, lame])
  await expect(requireTopics(kafka, [ours, "nobody-made-this"])).rejects.toThrow("missing: nobody-made-this")
})
