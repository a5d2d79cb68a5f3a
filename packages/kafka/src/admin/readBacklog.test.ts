import { startTransaction } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import {
  committedOffsets,
  makeTopic,
  realBroker,
  silentLog,
  uniqueName,
} from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { connectKafka } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
import { startConsumer } from "../consumer/startConsumer.ts"
import { startProducer } from "../producer/startProducer.ts"
import { readBacklog } from "./readBacklog.ts"

const kafka = realBroker()
const deadlineMs = 60_000

test("the lag and the oldest unread record of a group are read, also in the middle of a batch", async () => {
  const topic = await makeTopic(kafka, { partitions: 2 })
  const group = uniqueName("group")
  const [old, young] = [Date.now() - 3_600_000, Date.now() - 60_000]
  // One batch of one partition.
  const producer = createClient(kafka, { requestTimeoutMs: 5_000, retries: 2 }).producer()
  await producer.connect()
  const messages = [old, young, young + 1].map((at) => ({ partition: 1, value: "{}", timestamp: String(at) }))
  await producer.send({ topic, messages })
  await producer.disconnect()
  const read = async (of: string | null = group) => {
    const [backlog] = await readBacklog(kafka, [{ topic, group: of }], deadlineMs)
    return backlog?.partitions
  }

  const partition = { partition: 1, records: 3, openTransaction: null }
  const empty = { partition: 0, records: 0, lag: 0, oldestUnreadAt: null, openTransaction: null }
  // admin.setOffsets would take 5 s.
  const member = createClient(kafka, { requestTimeoutMs: 5_000, retries: 2 }).consumer({
    groupId: group,
    maxWaitTimeInMs: 100,
  })
  onTestFinished(() => member.disconnect())
  await member.connect()
  await member.subscribe({ topics: [topic] })
  const joined = new Promise((resolve) => member.on(member.events.GROUP_JOIN, resolve))
  await member.run({ autoCommit: false, eachMessage: async () => {} })
  await joined
  const commit = (offset: string) => member.commitOffsets([{ topic, partition: 1, offset }])
  expect(await read()).toEqual([empty, { ...partition, lag: 3, oldestUnreadAt: new Date(old) }])
  await commit("1")
  expect(await read()).toEqual([empty, { ...partition, lag: 2, oldestUnreadAt: new Date(young) }])
  await commit("3")
  expect(await read()).toEqual([empty, { ...partition, lag: 0, oldestUnreadAt: null }])
  expect(await read(null)).toMatchObject([{ lag: null }, { records: 3, lag: null, oldestUnreadAt: null }])
})

test("records behind an open transaction count as lag, and the transaction is named", async () => {
  const topic = await makeTopic(kafka)
  const group = uniqueName("group")
  const consumer = await startConsumer({
    kafka,
    group,
    topics: [{ topic }],
    maxOutstanding: 10,
    onRecords: (records, done) => records.forEach(done),
  })
  const producer = await startProducer({ kafka })
  onTestFinished(async () => void (await Promise.all([consumer.close(1_000), producer.close(1_000)])))
  const publish = () => producer.publish([{ topic, key: null, value: "acknowledged" }])
  const committed = () => committedOffsets(kafka, group, topic)
  await publish()
  await until(async () => (await committed())[0] === "1")
  const begunAt = Date.now()
  const open = await startTransaction(topic, ["open"])
  await publish()
  await publish()
  const read = async () => (await readBacklog(kafka, [{ topic, group }], deadlineMs))[0]?.partitions?.[0]
  const backlog = await read()
  expect(backlog).toMatchObject({ records: 4, lag: 3, openTransaction: { offset: "1", records: 3 } })
  for (const time of [backlog?.oldestUnreadAt, backlog?.openTransaction?.since])
    expect(Math.abs((time?.getTime() ?? 0) - begunAt)).toBeLessThan(60_000)
  await open.end("abort")
  await until(async () => (await read())?.lag === 0)
  expect(await read()).toMatchObject({ openTransaction: null })
})

test("a topic that does not exist has no partitions", async () => {
  const topic = uniqueName("none")
  expect(await readBacklog(kafka, [{ topic, group: uniqueName("group") }], deadlineMs)).toEqual([
    { topic, members: null, partitions: null, unreadable: [] },
  ])
})

test("without a broker, it rejects", async () => {
  const gone = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silentLog })
  await expect(readBacklog(gone, [{ topic: "t", group: null }], 2_000)).rejects.toThrow()
})
