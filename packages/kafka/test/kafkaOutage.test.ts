import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type StartedBackingService, startKafka } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { checkBroker } from "../src/client/checkBroker.ts"
import { connectKafka, type KafkaConnection } from "../src/client/connectKafka.ts"
import { type Consumer, startConsumer } from "../src/consumer/startConsumer.ts"
import { startProducer } from "../src/producer/startProducer.ts"
import { committedOffsets, makeTopic, silentLog, uniqueName } from "./fixtures/realBroker.ts"
import { until } from "./fixtures/until.ts"

// A broker of their own, because these tests kill it.
let broker: StartedBackingService
let kafka: KafkaConnection
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "sitewire-outage-"))
  const { KAFKA_BROKERS: _, ...env } = process.env
  const jars = join(import.meta.dirname, "../../../.sitewire/jars")
  const started = await startKafka({ directory, jars, env, durability: "scratch", progress: () => {} })
  if (started.kind === "given")
    throw new Error("These tests need a broker of their own: KAFKA_BROKERS must not be set.")
  broker = started
  kafka = connectKafka({ brokers: broker.address.split(","), clientId: "outage", log: silentLog })
}, 120_000)

afterAll(async () => {
  await broker?.stop()
  await rm(directory, { recursive: true, force: true })
}, 30_000)

test("after the broker is killed, publishing rejects in time and the consumer is unhealthy; after its restart both recover", {
  timeout: 90_000,
}, async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 3 }), uniqueName("group")]
  const producer = await startProducer({ kafka, deadlineMs: 2_000 })
  const seen = new Set<string>()
  const health: boolean[] = []
  const consumer = await startConsumer({
    kafka,
    group,
    topics: [{ topic }],
    maxOutstanding: 100,
    sessionTimeoutMs: 6_000,
    onRecords(records, done) {
      for (const record of records) {
        seen.add(record.value?.toString() ?? "")
        done(record)
      }
    },
    onHealth: (now) => health.push(now),
  })
  const publish = (from: number) =>
    producer.publish(
      Array.from({ length: 100 }, (_, n) => ({ topic, key: String(n), value: String(from + n) })),
    )
  await publish(0)
  await until(() => seen.size === 100, 5_000)

  await broker.halt("kill")
  const start = Date.now()
  await expect(publish(100)).rejects.toThrow(/Kafka did not/)
  expect(Date.now() - start).toBeLessThan(2_500)
  await until(() => !consumer.healthy(), 15_000)
  // Several restarts of the consumer fail meanwhile.
  await new Promise((resolve) => setTimeout(resolve, 8_000))
  expect(await checkBroker({ kafka })).toMatchObject({ status: "unreachable" })

  await broker.resume()
  await until(() => consumer.healthy(), 20_000)
  await publish(200)
  await until(() => [...Array(100).keys()].every((n) => seen.has(String(200 + n))), 10_000)
  expect(health).toEqual([true, false, true])
  await until(async () => {
    const offsets = Object.values(await committedOffsets(kafka, group, topic)).map(Number)
    return offsets.reduce((sum, offset) => sum + offset) >= 200
  }, 5_000)
  expect(await consumer.close(3_000)).toEqual({ drained: true })
  await producer.close(1_000)
})

test("while the broker is down, consumer and producer close within their deadlines", {
  timeout: 60_000,
}, async () => {
  const topic = await makeTopic(kafka)
  const producer = await startProducer({ kafka, deadlineMs: 10_000 })
  await producer.publish([{ topic, key: null, value: "outstanding" }])
  const startOne = (group: string): Promise<Consumer> =>
    startConsumer({ kafka, group, topics: [{ topic }], maxOutstanding: 10, onRecords: () => {} })
  const consumers = await Promise.all([startOne(uniqueName("a")), startOne(uniqueName("b"))])
  await until(() => consumers.every((consumer) => consumer.outstanding() === 1), 10_000)
  await broker.halt("kill")
  const lost = producer.publish([{ topic, key: null, value: "never" }])
  const rejected = expect(lost).rejects.toThrow(/closed|did not/)
  const start = Date.now()
  // One closes at once, the other after it has noticed the outage.
  expect(await consumers[0]?.close(2_000)).toEqual({ drained: false })
  expect(Date.now() - start).toBeLessThan(3_000)
  await until(() => consumers[1]?.healthy() === false, 20_000)
  const later = Date.now()
  expect(await consumers[1]?.close(2_000)).toEqual({ drained: false })
  await producer.close(1_000)
  expect(Date.now() - later).toBeLessThan(5_000)
  await rejected
  await broker.resume()
})
