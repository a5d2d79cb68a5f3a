import { startTransaction, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { makeTopic, realBroker, withAdmin } from "../../test/fixtures/realBroker.ts"
import { startProducer } from "../producer/startProducer.ts"
import { offsetsAt, topicEnd } from "./readOffsets.ts"
import { readTopic } from "./readTopic.ts"

const kafka = realBroker()
const generous = { kafka, maxRecords: 10_000, maxBytes: 8_000_000 }

async function filledTopic(count: number, partitions: number, existing?: string) {
  const topic = existing ?? (await makeTopic(kafka, { partitions }))
  const producer = await startProducer({ kafka })
  const publish = (from: number, to: number) =>
    producer.publish(
      Array.from({ length: to - from }, (_, n) => ({ topic, key: `k${from + n}`, value: `v${from + n}` })),
    )
  await publish(0, count)
  return { topic, publish, close: () => producer.close(2_000) }
}

test("a topic is read from its beginning to the given end, without later records", async () => {
  const { topic, publish, close } = await filledTopic(300, 3)
  const to = await topicEnd({ kafka, topic })
  await publish(300, 350)
  const { records, next, ended } = await readTopic({ ...generous, topic, from: {}, to })
  expect(ended).toBe(true)
  expect(next).toEqual(to)
  const keys = records.map(({ key }) => key)
  expect(new Set(keys)).toEqual(new Set(Array.from({ length: 300 }, (_, n) => `k${n}`)))
  expect(keys.length).toBe(300)
  await close()
})

test("a call reads at most maxRecords, and the next one continues after them", async () => {
  const { topic, close } = await filledTopic(100, 2)
  const to = await topicEnd({ kafka, topic })
  const seen: (string | null)[] = []
  let from = {}
  let calls = 0
  for (let ended = false; !ended; calls++) {
    const part = await readTopic({ ...generous, topic, from, to, maxRecords: 40 })
    expect(part.records.length).toBeLessThanOrEqual(40)
    seen.push(...part.records.map(({ key }) => key))
    from = part.next
    ended = part.ended
  }
  expect(calls).toBeGreaterThanOrEqual(3)
  expect(seen.length).toBe(100)
  expect(new Set(seen).size).toBe(100)
  await close()
})

test("a topic is read to its end if a transaction's marker is last, and up to a transaction that is open", async () => {
  const topic = await makeTopic(kafka)
  const end = () => topicEnd({ kafka, topic })
  const read = async (from: string, to: Record<string, string>) => {
    const { records, next, ended } = await readTopic({ ...generous, topic, from: { 0: from }, to })
    return { values: records.map(({ value }) => String(value)), next: next[0], ended }
  }
  const ended = async (how: "commit" | "abort", value: string, length: string) => {
    await (await startTransaction(topic, [value])).end(how)
    return waitUntil("the marker", async () => ((await end())[0] === length ? end() : undefined))
  }
  const committed = await ended("commit", "a", "2")
  expect(await read("0", committed)).toEqual({ values: ["a"], next: "2", ended: true })
  expect(await read("1", committed)).toEqual({ values: [], next: "2", ended: true })
  const aborted = await ended("abort", "b", "4")
  expect(await read("0", aborted)).toEqual({ values: ["a"], next: "4", ended: true })
  expect(await read("2", aborted)).toEqual({ values: [], next: "4", ended: true })

  const open = await startTransaction(topic, ["c"])
  const { close } = await filledTopic(2, 1, topic)
  expect(await end()).toEqual({ 0: "4" })
  const all = await offsetsAt({ kafka, topic, since: Number.MAX_SAFE_INTEGER })
  expect(await read("0", all)).toEqual({ values: ["a", "c", "v0", "v1"], next: "7", ended: true })
  await open.end("abort")
  await close()
})

test("records that retention deleted are skipped, and an empty topic ends at once", async () => {
  const { topic, close } = await filledTopic(50, 1)
  await withAdmin(kafka, async (admin) => {
    // kafkajs knows the partition's leader only after a request for the topic.
    await admin.fetchTopicOffsets(topic)
    await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: "20" }] })
  })
  const to = await topicEnd({ kafka, topic })
  const { records } = await readTopic({ ...generous, topic, from: { 0: "5" }, to })
  expect(records.map(({ offset }) => Number(offset))).toEqual(Array.from({ length: 30 }, (_, n) => 20 + n))
  const empty = await makeTopic(kafka)
  const end = await topicEnd({ kafka, topic: empty })
  expect(await readTopic({ ...generous, topic: empty, from: {}, to: end })).toEqual({
    records: [],
    next: { 0: "0" },
    ended: true,
  })
  await close()
})
