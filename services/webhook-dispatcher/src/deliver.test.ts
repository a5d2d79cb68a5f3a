import { topicNames } from "@sitewire/contracts"
import type { Outgoing } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { expect, test } from "vitest"
import { createChannelGates, type Entry } from "./channelGates.ts"
import { createDeliver } from "./deliver.ts"
import type { DueDelivery } from "./delivery.ts"
import { unreadMetrics } from "./fixtures/unreadMetrics.ts"

const retryDelaysMs = [60_000, 300_000, 900_000]
const topics = topicNames({ prefix: "", retryDelaysMs })
const secret = { id: "sec_1", sealed: Buffer.alloc(0) }

const due: DueDelivery = {
  id: "00000000-0000-7000-8000-000000000001",
  eventId: "order-1",
  channel: {
    id: "acme",
    address: "https://partner.example",
    secret,
    otherSecret: null,
    standardWebhooks: false,
    paused: false,
  },
  body: Buffer.from("{}"),
  attempt: 3,
  failures: 2,
  since: new Date().toISOString(),
  correlation: "c",
}

const busy: Entry = { kind: "turned-away", why: "busy" }
const open: Entry = { kind: "turned-away", why: "breaker" }
const free: Entry = { kind: "entered", leave: () => {} }

// When the broker acknowledges cannot be chosen with a real one.
test.each([
  { why: "its channel is busy", entry: busy },
  { why: "its channel's breaker is open", entry: open },
  { why: "a fault of ours prevents the attempt", entry: free },
])(
  "what is put off because $why waits in the shortest topic as it was, and is done when it is there",
  async ({ entry }) => {
    const acknowledged = Promise.withResolvers<void>()
    const published: Outgoing[] = []
    const none = () => Promise.reject(new Error("not in this test"))
    const gates = createChannelGates({
      maxInFlight: 1,
      slowShare: 1,
      maxWaitMs: 0,
      breakerFailures: 1,
      breakerCooldownMs: 1,
    })
    const deliver = createDeliver({
      attempt: none,
      gates: { ...gates, enter: () => entry },
      schedule: { delaysMs: retryDelaysMs, periodMs: 3_600_000 },
      topics,
      publish: (records) => {
        published.push(...records)
        return acknowledged.promise
      },
      record: none,
      giveUp: none,
      remember: () => {},
      keptMs: 0,
      metrics: unreadMetrics(),
      log: createLogger({ service: "test", level: "silent" }),
    })
    let done = false
    const delivered = deliver(due).then(() => {
      done = true
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(done).toBe(false)
    expect(
      published.map(({ topic, key, value }) => ({ topic, key, value: JSON.parse(String(value)) })),
    ).toEqual([
      {
        topic: topics.retry[0],
        key: due.id,
        value: { delivery: due.id, attempt: 3, failures: 2, since: due.since, correlation: "c" },
      },
    ])
    acknowledged.resolve()
    await delivered
  },
)
