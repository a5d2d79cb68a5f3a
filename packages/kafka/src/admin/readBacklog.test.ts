import { expect, onTestFinished, test } from "vitest"
import { makeTopic, realBroker, silentLog, uniqueName } from "../../test/fixtures/realBroker.ts"
import { connectKafka } from "../client/connectKafka.ts"
import { createClient } from "../client/createClient.ts"
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

  const empty = { partition: 0, records: 0, lag: 0, oldestUnreadAt: null }
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
  expect(await read()).toEqual([empty, { partition: 1, records: 3, lag: 3, oldestUnreadAt: new Date(old) }])
  await commit("1")
  expect(await read()).toEqual([empty, { partition: 1, records: 3, lag: 2, oldestUnreadAt: new Date(young) }])
  await commit("3")
  expect(await read()).toEqual([empty, { partition: 1, records: 3, lag: 0, oldestUnreadAt: null }])
  expect(await read(null)).toMatchObject([{ lag: null }, { records: 3, lag: null, oldestUnreadAt: null }])
})

test("a topic that does not exist has no partitions", async () => {
  const topic = uniqueName("none")
  expect(await readBacklog(kafka, [{ topic, group: uniqueName("group") }], deadlineMs)).toEqual([
    { topic, partitions: null, unreadable: [] },
  ])
})

test("without a broker, it rejects", async () => {
  const gone = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silentLog })
  await expect(readBacklog(gone, [{ topic: "t", group: null }], 2_000)).rejects.toThrow()
})
