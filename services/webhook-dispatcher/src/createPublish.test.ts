import { PermanentPublishError, RecordTooLarge } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createPublish } from "./createPublish.ts"

const record = { topic: "site.ready.dead", key: "k", value: "{}" }

function publisherThat(outcomes: (Error | null)[]) {
  const topics: unknown[] = []
  const states: unknown[] = []
  const publish = createPublish({
    producer: {
      publish: async () => {
        const error = outcomes.shift()
        if (error) throw error
      },
    },
    signal: new AbortController().signal,
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
