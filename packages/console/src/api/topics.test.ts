import type { TopicStatus } from "@sitewire/contracts"
import { connectKafka, startProducer } from "@sitewire/kafka"
import { freshTopics, silentLog } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import { readTopicsOf } from "../kafka/readTopics.ts"

const retryDelaysMs = [200, 400]

test("every topic is listed with its records, and with the lag and the oldest unread record of its group", async () => {
  const { kafka, names, prefix } = await freshTopics({ retryDelaysMs })
  const producer = await startProducer({ kafka })
  const publishedAt = Date.now()
  for (const topic of [names.sitePaid, names.retry[0] ?? "", names.dead])
    await producer.publish([
      { topic, key: "a", value: "{}" },
      { topic, key: "b", value: "{}" },
    ])
  await producer.close(1_000)
  const settings = { kafka, prefix, retryDelaysMs, retryPeriodMs: 3_600_000 }
  // Only ends what hangs: the machine may be busy.
  const readTopics = readTopicsOf({ ...settings, deadlineMs: 120_000 })
  const console = await startConsole({ readTopics })
  onTestFinished(() => console.close())

  const { status, json } = await console.call("GET", "/v1/topics", { key: await console.keyWith("read") })
  expect(status).toBe(200)
  const topics = new Map((json.data as TopicStatus[]).map((topic) => [topic.name, topic]))
  expect([...topics.keys()].toSorted()).toEqual(Object.values(names).flat().toSorted())
  expect(topics.get(names.sitePaid)).toMatchObject({
    group: `${prefix}webhook-dispatcher.paid`,
    records: 2,
    lag: 2,
  })
  const oldest = Date.parse(topics.get(names.sitePaid)?.oldest_unread_at ?? "")
  expect(oldest).toBeGreaterThanOrEqual(publishedAt)
  expect(oldest).toBeLessThanOrEqual(Date.now())
  expect(topics.get(names.retry[0] ?? "")).toMatchObject({
    group: `${prefix}webhook-dispatcher.retries`,
    lag: 2,
  })
  expect(topics.get(names.retry[1] ?? "")).toMatchObject({ records: 0, lag: 0, oldest_unread_at: null })
  expect(topics.get(names.dead)).toMatchObject({ group: null, records: 2, lag: null, oldest_unread_at: null })
  expect(topics.get(names.connectorTriggered)).toMatchObject({ group: `${prefix}sync-scheduler`, lag: 0 })
  expect((await console.call("GET", "/v1/topics", { key: await console.keyWith("channel:a") })).status).toBe(
    403,
  )
})

test("while Kafka is unavailable, the status is 503 within the deadline", async () => {
  const kafka = connectKafka({ brokers: ["127.0.0.1:1"], clientId: "test", log: silentLog })
  const console = await startConsole({
    readTopics: readTopicsOf({ kafka, prefix: "", retryDelaysMs, retryPeriodMs: 3_600_000 }),
  })
  onTestFinished(() => console.close())
  const { status, json } = await console.call("GET", "/v1/topics")
  expect({ status, code: json.code }).toEqual({ status: 503, code: "kafka-unavailable" })
})
