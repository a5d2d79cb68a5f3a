import { afterAll, beforeAll, expect, test } from "vitest"
import { makeTopic, realBroker } from "../../test/fixtures/realBroker.ts"
import { topicEnd } from "../admin/readOffsets.ts"
import { readTopic } from "../admin/readTopic.ts"
import { type Producer, startProducer } from "./startProducer.ts"

const kafka = realBroker()
let producer: Producer

beforeAll(async () => {
  producer = await startProducer({ kafka, deadlineMs: 120_000 })
})
afterAll(() => producer?.close(1_000))

async function keysIn(topic: string): Promise<(string | null)[]> {
  const to = await topicEnd({ kafka, topic })
  const limits = { maxRecords: 1_000, maxBytes: 10_000_000 }
  const { records } = await readTopic({ kafka, topic, from: {}, to, ...limits })
  return records.map(({ key }) => key)
}

test("records above the broker's size limit reject as too large; records of the same batch are appended in order", async () => {
  const topic = await makeTopic(kafka, { config: { "max.message.bytes": "10000" } })
  const sizes = Array.from({ length: 40 }, (_, n) => (n % 13 === 5 ? 20_000 : 1_000))
  const published = sizes.map((size, n) =>
    producer.publish([{ topic, key: String(n), value: "x".repeat(size) }]),
  )
  const outcomes = await Promise.allSettled(published)
  const rejected = outcomes.flatMap((outcome, n) =>
    outcome.status === "rejected" ? [[n, outcome.reason]] : [],
  )
  expect(rejected.map(([n]) => n)).toEqual([5, 18, 31])
  for (const [, reason] of rejected) {
    expect(reason).toMatchObject({
      name: "RecordTooLarge",
      reason: "MESSAGE_TOO_LARGE",
      scope: "record",
      topic,
    })
  }
  const appended = sizes.flatMap((size, n) => (size === 1_000 ? [String(n)] : []))
  expect(await keysIn(topic)).toEqual(appended)
})

test("a record that its topic does not allow rejects at once and delays no record of the same partition", async () => {
  const topic = await makeTopic(kafka, { config: { "cleanup.policy": "compact" } })
  const [good, bad, after] = await Promise.allSettled([
    producer.publish([{ topic, key: "good", value: "x" }]),
    producer.publish([{ topic, key: null, value: "compaction needs a key" }]),
    producer.publish([{ topic, key: "after", value: "x" }]),
  ])
  expect([good.status, bad.status, after.status]).toEqual(["fulfilled", "rejected", "fulfilled"])
  expect((bad as PromiseRejectedResult).reason).toMatchObject({
    name: "PermanentPublishError",
    reason: "INVALID_RECORD",
    scope: "record",
    topic,
  })
  expect(await keysIn(topic)).toEqual(["good", "after"])
})

test("an invalid topic name rejects at once", async () => {
  const publishing = producer.publish([{ topic: "no spaces", key: null, value: "x" }])
  await expect(publishing).rejects.toMatchObject({ reason: "INVALID_TOPIC_EXCEPTION", scope: "topic" })
})
