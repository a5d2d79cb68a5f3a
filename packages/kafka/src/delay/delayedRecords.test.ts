import { expect, onTestFinished, test } from "vitest"
import { type OnRecords, useConsumers } from "../../test/fixtures/consumers.ts"
import { committedOffsets, makeTopic, uniqueName } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { startConsumer } from "../consumer/startConsumer.ts"
import { startProducer } from "../producer/startProducer.ts"
import type { ConsumerRecord } from "../record.ts"
import { createBrokerClock } from "./brokerClock.ts"

const { kafka, publishNumbered, consume } = useConsumers()

/** Much more than a busy machine needs. */
const lateMs = 30_000

const delayedTopic = () =>
  makeTopic(kafka, { partitions: 3, config: { "message.timestamp.type": "LogAppendTime" } })

test("delayed records are never early, and soon dispatched, with several delays in one consumer", async () => {
  const [short, long, plain, group] = [
    await delayedTopic(),
    await delayedTopic(),
    await makeTopic(kafka),
    uniqueName("group"),
  ]
  const waits: Record<string, number[]> = { [short]: [], [long]: [], [plain]: [] }
  await consume(
    group,
    [{ topic: short, delayMs: 700 }, { topic: long, delayMs: 1_500 }, { topic: plain }],
    (records, done) => {
      for (const record of records) {
        waits[record.topic]?.push(Date.now() - record.appendedAt)
        done(record)
      }
    },
  )
  for (let round = 0; round < 20; round++) {
    await Promise.all([short, long, plain].map((topic) => publishNumbered(topic, 30)))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await until(() => Object.values(waits).every((of) => of.length === 600))
  for (const [topic, delayMs] of [
    [short, 700],
    [long, 1_500],
    [plain, 0],
  ] as const) {
    expect(Math.min(...(waits[topic] ?? []))).toBeGreaterThanOrEqual(delayMs)
    expect(Math.max(...(waits[topic] ?? []))).toBeLessThan(delayMs + lateMs)
  }
})

test.each([
  { clock: "an hour behind", aheadMs: -3_600_000 },
  { clock: "an hour ahead and has published a record", aheadMs: 3_600_000 },
])("a machine whose clock is $clock dispatches records when they are due", async ({ aheadMs }) => {
  const [topic, group] = [await delayedTopic(), uniqueName("group")]
  const wall = () => Date.now() + aheadMs
  const wrongClock = { ...kafka, clock: createBrokerClock({ wall, monotonic: () => performance.now() }) }
  const waits: number[] = []
  const consumer = await startConsumer({
    kafka: wrongClock,
    group,
    topics: [{ topic, delayMs: 1_500 }],
    maxOutstanding: 100,
    onRecords(records, done) {
      for (const record of records) {
        waits.push(Date.now() - record.appendedAt)
        done(record)
      }
    },
  })
  onTestFinished(() => consumer.close(100).then(() => {}))
  const publisher = await startProducer({ kafka: wrongClock })
  onTestFinished(() => publisher.close(100))
  const other = await delayedTopic()
  await publisher.publish([{ topic: other, key: null, value: "any" }])
  for (let n = 0; n < 10; n++) await publisher.publish([{ topic, key: String(n), value: "x" }])
  await until(() => waits.length === 10)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_500)
  expect(Math.max(...waits)).toBeLessThan(1_500 + lateMs)
})

test("while members join and leave, no delayed record is early or lost", async () => {
  const [topic, marker, group] = [await delayedTopic(), await makeTopic(kafka), uniqueName("group")]
  const delayMs = 4_000
  const waits = new Map<string, number>()
  let markerReceived = false
  const onRecords: OnRecords = (records, done) => {
    for (const record of records) {
      if (record.topic === marker) markerReceived = true
      else waits.set(`${record.partition}/${record.offset}`, Date.now() - record.appendedAt)
      done(record)
    }
  }
  const topics = [{ topic, delayMs }, { topic: marker }]
  await consume(group, topics, onRecords)
  await publishNumbered(topic, 300)
  // Records appended before the marker are fetched with it.
  await publishNumbered(marker, 1)
  await until(() => markerReceived)
  const second = await consume(group, topics, onRecords)
  await publishNumbered(topic, 300)
  await second.close(1_000)
  await until(() => waits.size === 600)
  expect(Math.min(...waits.values())).toBeGreaterThanOrEqual(delayMs)
  expect(Math.max(...waits.values())).toBeLessThan(delayMs + lateMs)
})

test("records that are not due are not outstanding, and close does not wait for them", async () => {
  const [topic, marker, group] = [await delayedTopic(), await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 30)
  await publishNumbered(marker, 1)
  const received: ConsumerRecord[] = []
  const topics = [{ topic, delayMs: 3_600_000 }, { topic: marker }]
  const consumer = await consume(group, topics, (records, done) => {
    received.push(...records)
    records.forEach(done)
  })
  // Records appended before the marker are fetched with it.
  await until(() => received.length > 0)
  expect(consumer.outstanding()).toBe(0)
  expect(await consumer.close(2_000)).toEqual({ drained: true })
  expect(received.map((record) => record.topic)).toEqual([marker])
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "-1", 1: "-1", 2: "-1" })
})
