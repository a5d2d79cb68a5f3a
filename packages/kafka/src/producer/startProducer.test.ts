import type Broker from "kafkajs/src/broker/index.js"
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import { makeTopic, realBroker, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { deleteTopics } from "../admin/deleteTopics.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"
import { createClient } from "../client/createClient.ts"
import { startConsumer } from "../consumer/startConsumer.ts"
import type { ConsumerRecord } from "../record.ts"
import { sendProduceRequest } from "./produceRequest.ts"
import { type Producer, startProducer } from "./startProducer.ts"

const kafka = realBroker()
let producer: Producer

beforeAll(async () => {
  producer = await startProducer({ kafka, deadlineMs: 60_000 })
})
afterAll(() => producer?.close(1_000))

/** Reads until there are this many records and distinct keys. A retried send may repeat some. */
async function readAll(topic: string, count: number, distinctKeys = 0): Promise<ConsumerRecord[]> {
  const read: ConsumerRecord[] = []
  const all = Promise.withResolvers<void>()
  const consumer = await startConsumer({
    kafka,
    group: uniqueName("reader"),
    topics: [{ topic }],
    maxOutstanding: 10_000,
    onRecords(records, done) {
      read.push(...records)
      for (const record of records) done(record)
      if (read.length >= count && new Set(read.map(({ key }) => key)).size >= distinctKeys) all.resolve()
    },
  })
  await all.promise
  await consumer.close(5_000)
  return read
}

const endOffset = (topic: string) =>
  withAdmin(kafka, async (admin) => {
    const offsets = await admin.fetchTopicOffsets(topic)
    return offsets.reduce((sum, { high }) => sum + Number(high), 0)
  })

/** The broker stores one record batch per partition and produce request. */
async function countBatches(topic: string, records: number): Promise<number> {
  const consumer = createClient(kafka, { requestTimeoutMs: 10_000, retries: 3 }).consumer({
    groupId: uniqueName("batches"),
    maxWaitTimeInMs: 250,
  })
  const batches = new Set<unknown>()
  let read = 0
  const all = Promise.withResolvers<void>()
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message }) => {
      const { batchContext } = message as { batchContext?: { firstOffset: string } }
      batches.add(batchContext?.firstOffset)
      if (++read === records) all.resolve()
    },
  })
  await all.promise
  await consumer.disconnect()
  return batches.size
}

test("when publish resolves, the broker has every record", async () => {
  const topic = await makeTopic(kafka, { partitions: 3 })
  await producer.publish(Array.from({ length: 50 }, (_, n) => ({ topic, key: `k${n}`, value: `v${n}` })))
  expect(await endOffset(topic)).toBe(50)
})

test("key, value and headers, or their absence, arrive byte for byte", async () => {
  const topic = await makeTopic(kafka)
  const bytes = new Uint8Array([0, 255, 195, 40, 10])
  await producer.publish([
    { topic, key: "schlüssel", value: bytes.subarray(1), headers: { trace: "äöü", empty: "" } },
    { topic, key: null, value: null },
    { topic, key: "text", value: "é" },
  ])
  const [first, second, third] = await readAll(topic, 3)
  expect(first).toMatchObject({ topic, partition: 0, offset: "0", key: "schlüssel" })
  expect(first?.value).toEqual(Buffer.from([255, 195, 40, 10]))
  expect(first?.headers).toEqual({ trace: "äöü", empty: "" })
  expect(second).toMatchObject({ key: null, value: null, headers: {} })
  expect(third?.value?.toString()).toBe("é")
  expect(Math.abs(Date.now() - (first?.appendedAt ?? 0))).toBeLessThan(60_000)
})

test("a thousand callers at once share a few requests", async () => {
  const topic = await makeTopic(kafka)
  await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => producer.publish([{ topic, key: null, value: `${n}` }])),
  )
  expect(await countBatches(topic, 1_000)).toBeLessThanOrEqual(5)
})

test("a call larger than a batch is split, stays in order, and resolves once all records are acknowledged", async () => {
  const topic = await makeTopic(kafka)
  const value = "x".repeat(100_000)
  await producer.publish(Array.from({ length: 25 }, (_, n) => ({ topic, key: String(n), value })))
  expect(await endOffset(topic)).toBe(25)
  expect((await readAll(topic, 25)).map(({ key }) => Number(key))).toEqual(
    Array.from({ length: 25 }, (_, n) => n),
  )
})

test("a record that is too large rejects its own call before anything is sent, and no other call", async () => {
  const topic = await makeTopic(kafka)
  const small = () => producer.publish([{ topic, key: "small", value: "fits" }])
  const [before, large, after] = await Promise.allSettled([
    small(),
    producer.publish([
      { topic, key: "sibling", value: "fits" },
      { topic, key: "large", value: "x".repeat(2_000_000) },
    ]),
    small(),
  ])
  expect([before.status, large.status, after.status]).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect(String((large as PromiseRejectedResult).reason)).toMatch(
    /A record for .* has 20000\d\d bytes; the limit is 900000/,
  )
  expect(await endOffset(topic)).toBe(2)
})

test("one call may publish to several topics", async () => {
  const topics = [await makeTopic(kafka), await makeTopic(kafka)]
  await producer.publish(topics.map((topic) => ({ topic, key: null, value: topic })))
  for (const topic of topics)
    expect((await readAll(topic, 1)).map(({ value }) => value?.toString())).toEqual([topic])
})

test("publishing to a topic that does not exist rejects within the deadline and delays no other topic", async () => {
  const topic = await makeTopic(kafka)
  const hasty = await startProducer({ kafka, deadlineMs: 1_500 })
  onTestFinished(() => hasty.close(1_000))
  let rejected = false
  const missing = hasty.publish([{ topic: uniqueName("missing"), key: null, value: "lost" }])
  const rejecting = expect(missing.finally(() => (rejected = true))).rejects.toThrow(/did not/)
  await hasty.publish([{ topic, key: null, value: "kept" }])
  expect(rejected).toBe(false)
  await rejecting
})

test("a record is acknowledged only when as many replicas have it as the topic requires", async () => {
  // brokerFaults.extended.test.ts kills a replica. With acks=1, an acknowledged record could be lost then.
  const requests: object[] = []
  const broker = {
    lookupRequest: () => (parameters: object) => {
      requests.push(parameters)
      return { request: {}, response: {} }
    },
    connectionPool: { send: async () => ({ topics: [] }) },
  } as unknown as Broker
  await sendProduceRequest(broker, "t", [], 1_000, kafka.clock)
  expect(requests).toMatchObject([{ acks: -1 }])
})

test("records that are queued while the clock is set back are sent", async () => {
  const topic = await makeTopic(kafka)
  const right = Date.now
  const published = producer.publish([{ topic, key: null, value: "x" }])
  const clock = vi.spyOn(Date, "now").mockImplementation(() => right() - 60_000)
  onTestFinished(() => clock.mockRestore())
  await published
  expect(await endOffset(topic)).toBe(1)
})

test("a topic that is deleted after it was published to delays no other topic", async () => {
  const [deleted, other, fresh] = [await makeTopic(kafka), await makeTopic(kafka), await makeTopic(kafka)]
  const hasty = await startProducer({ kafka, deadlineMs: 1_000 })
  onTestFinished(() => hasty.close(1_000))
  await hasty.publish([deleted, other].map((topic) => ({ topic, key: null, value: "before" })))
  await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [deleted] }))
  // The controller confirms a deletion before the broker that leads the partition knows of it.
  const isRejected = () =>
    hasty.publish([{ topic: deleted, key: null, value: "after" }]).then(
      () => false,
      () => true,
    )
  await until(isRejected)
  await hasty.publish([other, fresh].map((topic) => ({ topic, key: null, value: "after" })))
  expect([await endOffset(other), await endOffset(fresh)]).toEqual([2, 1])
})

test("after a topic was created again with fewer partitions, all keys go to these", async () => {
  const topic = await makeTopic(kafka, { partitions: 6 })
  const records = Array.from({ length: 40 }, (_, n) => ({ topic, key: `key-${n}`, value: "x" }))
  await producer.publish(records)
  await deleteTopics(kafka, [topic])
  await ensureTopics({ kafka, topics: [{ name: topic, partitions: 2, config: {} }] })
  await producer.publish(records)
  expect(await producer.check(topic, 1_000)).toEqual({ status: "available" })
  expect(await endOffset(topic)).toBe(40)
})

test("keys go to the partitions that Kafka's Java client chooses for them", async () => {
  // From the tests of Apache Kafka's own client (UtilsTest.testMurmur2): key and hash.
  const hashes = {
    "21": -973932308,
    foobar: -790332482,
    "a-little-bit-long-string": -985981536,
    "a-little-bit-longer-string": -1486304829,
    lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58897971,
  }
  const topic = await makeTopic(kafka, { partitions: 10 })
  await producer.publish(Object.keys(hashes).map((key) => ({ topic, key, value: "" })))
  const partitions = Object.fromEntries(
    (await readAll(topic, 5, 5)).map(({ key, partition }) => [key, partition]),
  )
  const expected = Object.entries(hashes).map(([key, hash]) => [key, (hash & 0x7fffffff) % 10])
  expect(partitions).toEqual(Object.fromEntries(expected))
})

test("close sends records that still wait and accepts no more", async () => {
  const topic = await makeTopic(kafka)
  const closing = await startProducer({ kafka, lingerMs: 60_000, deadlineMs: 5_000 })
  const published = closing.publish([{ topic, key: null, value: "waiting" }])
  await closing.close(5_000)
  await published
  expect(await endOffset(topic)).toBe(1)
  await expect(closing.publish([{ topic, key: null, value: "late" }])).rejects.toThrow(/closed/)
})
