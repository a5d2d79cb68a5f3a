import { PermanentPublishError, RecordTooLarge, type TopicState } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { waitDeadlineMs } from "@sitewire/testkit/deadlines"
import { expect, test, vi } from "vitest"
import { createPublish } from "./createPublish.ts"

const record = { topic: "site.ready.dead", key: "k", value: "{}" }

function publisherThat(
  outcomes: (Error | null)[],
  signal = new AbortController().signal,
  checks: TopicState[] = [],
) {
  const topics: unknown[] = []
  const states: unknown[] = []
  const publish = createPublish({
    producer: {
      publish: async () => {
        const error = outcomes.shift()
        if (error) throw error
      },
      check: async () => checks.shift() ?? { status: "available" },
    },
    signal,
    onState: (working) => states.push(working),
    onTopic: (...state) => topics.push(state),
    log: createLogger({ service: "test", level: "silent" }),
  })
  return { publish, topics, states }
}

// packages/kafka tests which records a real broker rejects.
test("a missing permission is reported until a record of the topic is accepted, and does not block other records", async () => {
  const details = { reason: "TOPIC_AUTHORIZATION_FAILED", scope: "topic", topic: record.topic } as const
  const denied = new PermanentPublishError("Kafka refused to publish to site.ready.dead", details)
  const { publish, topics } = publisherThat([denied, denied, null, null])
  expect(await publish(record)).toEqual({ kind: "rejected", why: denied.message })
  expect(await publish(record)).toMatchObject({ kind: "rejected" })
  expect(await publish(record)).toEqual({ kind: "published" })
  expect(await publish(record)).toEqual({ kind: "published" })
  expect(topics).toEqual([
    [record.topic, false, denied.message],
    [record.topic, false, denied.message],
    [record.topic, true],
  ])
})

test("a record that must not be dropped is retried until its topic accepts records again, and reported meanwhile", async () => {
  const details = { reason: "TOPIC_AUTHORIZATION_FAILED", scope: "topic", topic: record.topic } as const
  const denied = new PermanentPublishError("Kafka rejected all records", details)
  const { publish, topics } = publisherThat([denied, denied, null])
  expect(await publish(record, { retryRejectedTopic: true })).toEqual({ kind: "published" })
  expect(topics.map((state) => (state as unknown[])[1])).toEqual([false, false, true])
  // Nothing could store a record that is too large.
  const { publish: publishLarge } = publisherThat([new RecordTooLarge("too large", record.topic)])
  expect(await publishLarge(record, { retryRejectedTopic: true })).toMatchObject({ kind: "rejected" })
})

test("a stop ends the retries of a record that must not be dropped with an error, so that it is consumed again", async () => {
  const details = { reason: "TOPIC_AUTHORIZATION_FAILED", scope: "topic", topic: record.topic } as const
  const denied = new PermanentPublishError("Kafka rejected all records", details)
  const stop = new AbortController()
  const { publish } = publisherThat([denied, denied], stop.signal)
  const publishing = publish(record, { retryRejectedTopic: true })
  stop.abort()
  await expect(publishing).rejects.toThrow("Kafka rejected all records")
})

test("publishing gives up after the given time, but not at a stop, which repeats the record", async () => {
  const unavailable = new Error("no leader")
  const { publish } = publisherThat([unavailable, unavailable, unavailable])
  expect(await publish(record, { giveUpAfterMs: 150 })).toEqual({ kind: "not acknowledged" })
  const stop = new AbortController()
  stop.abort()
  const stopping = publisherThat([unavailable], stop.signal)
  await expect(stopping.publish(record, { giveUpAfterMs: 0 })).rejects.toThrow("no leader")
})

test("after publishing gave up, the dispatcher is ready as soon as the topic accepts records, without another record", async () => {
  const checks: TopicState[] = [{ status: "unavailable", why: "no leader" }]
  const { publish, states } = publisherThat([new Error("no leader")], undefined, checks)
  await publish(record, { giveUpAfterMs: 0 })
  expect(states).toEqual([])
  await vi.waitUntil(() => states.length > 0, { timeout: waitDeadlineMs })
  expect([states, checks]).toEqual([[true], []])
})

test("a record that is too large is rejected, and the dispatcher stays ready", async () => {
  const { publish, topics } = publisherThat([new RecordTooLarge("too large", record.topic)])
  expect(await publish(record)).toEqual({ kind: "rejected", why: "too large" })
  expect(topics).toEqual([])
})

test("while Kafka is unavailable, publishing is retried", async () => {
  const { publish, states } = publisherThat([new Error("not acknowledged"), null])
  expect(await publish(record)).toEqual({ kind: "published" })
  expect(states).toEqual([false, true])
})
