import type { ConsumerRecord } from "@sitewire/kafka"
import { createLogger, noTracing } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { simulateRows } from "../../test/fixtures/simulatedRows.ts"
import { paid } from "../../test/fixtures/testDispatcher.ts"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import type { DueDelivery } from "../delivery.ts"
import { createDeliveryLock } from "../deliveryLock.ts"
import { createHandleSitePaid, type HandleSitePaidParts } from "./handleSitePaid.ts"
import type { StoredRow } from "./storeDeliveries.ts"

const log = createLogger({ service: "test", level: "silent" })

/** Defaults that do nothing. */
const idle: HandleSitePaidParts = {
  store: async () => [],
  findUnattempted: async () => [],
  publish: async () => ({ kind: "published" }),
  handleNewDelivery: async () => {},
  handleStoredDelivery: async () => {},
  invalidTopic: "invalid",
  metrics: createTestMetrics(),
  tracing: noTracing,
  log,
}

const unknownChannel = {
  id: "",
  inserted: false,
  erased: false,
  channel_id: null,
  address: null,
  secret_id: null,
  secret_sealed: null,
  other_secret_id: null,
  other_secret_sealed: null,
  standard_webhooks: null,
  send_traceparent: null,
  paused_at: null,
  max_per_second: null,
}

const stored = {
  id: "00000000-0000-7000-8000-000000000001",
  channelId: "acme",
  body: Buffer.alloc(0),
  bodySha256: Buffer.alloc(0),
  searchDigests: Buffer.alloc(24),
  correlation: "shop",
  appendedAt: 0,
}

function record(event: string): ConsumerRecord {
  const value = Buffer.from(JSON.stringify(paid(event)))
  return { topic: "paid", partition: 0, offset: "0", key: event, value, headers: {}, appendedAt: 0 }
}

// A real database does not let a test choose which of two batches continues first.
test("a new delivery is locked before a later duplicate of its event, although its batch still waits for a query", async () => {
  const metrics = createTestMetrics()
  const lock = createDeliveryLock()
  const rows = simulateRows(() => 0)
  rows.storeDeliveries([{ ...stored, eventId: "known" }])
  const lookedUp = Promise.withResolvers<void>()
  const begun: string[] = []
  const ended = Promise.withResolvers<void>()
  const handleSitePaid = createHandleSitePaid({
    ...idle,
    store: async (batch) => rows.storeDeliveries(batch),
    findUnattempted: async (events) => {
      if (events.includes("known")) await lookedUp.promise
      return rows.findUnattempted(events)
    },
    handleNewDelivery: async ({ id }: DueDelivery) => {
      lock.acquireNew(id)
      begun.push(id)
      await ended.promise
      lock.release(id)
    },
    handleStoredDelivery: async ({ delivery }) => {
      if (lock.acquire(delivery, () => {})) begun.push(delivery)
    },
    metrics,
  })
  const first = handleSitePaid([record("known"), record("new")], () => {})
  await handleSitePaid([record("new")], () => {})
  lookedUp.resolve()
  ended.resolve()
  await first
  expect(begun.filter((id) => id === rows.byEvent("new")?.id)).toHaveLength(1)
})

test("after an event is stored, only its delivery stays in memory", async () => {
  const rows = simulateRows(() => 0)
  const responded = Promise.withResolvers<void>()
  const begun: DueDelivery[] = []
  const handleSitePaid = createHandleSitePaid({
    ...idle,
    store: async (batch) => rows.storeDeliveries(batch),
    findUnattempted: async (events) => rows.findUnattempted(events),
    handleNewDelivery: (due) => {
      begun.push(due)
      return responded.promise
    },
  })
  const large = record("large")
  large.value = Buffer.from(JSON.stringify({ ...paid("large"), extra: "x".repeat(800_000) }))
  const handled = handleSitePaid([large], () => {})
  await waitUntil("the attempt", () => begun.length === 1)
  expect(large.value).toBeNull()
  expect(begun[0]?.body.length).toBeLessThan(1_000)
  responded.resolve()
  await handled
})

test("a rejection that fails while its batch is being stored makes the call reject, and is never unhandled", async () => {
  const unhandled: unknown[] = []
  const onUnhandled = (error: unknown) => unhandled.push(error)
  process.on("unhandledRejection", onUnhandled)
  onTestFinished(() => void process.off("unhandledRejection", onUnhandled))
  const stored = Promise.withResolvers<StoredRow[]>()
  const handleSitePaid = createHandleSitePaid({
    ...idle,
    store: () => stored.promise,
    publish: () => Promise.reject(new Error("the broker is unavailable, and the process stops")),
  })
  const malformed = { ...record("malformed"), value: Buffer.from("{") }
  const done: string[] = []
  const handled = handleSitePaid([malformed, record("event")], ({ key }) => done.push(key ?? ""))
  const outcome = expect(handled).rejects.toThrow()
  await new Promise((resolve) => setTimeout(resolve, 50))
  stored.reject(new Error("so is the database"))
  await outcome
  expect(unhandled).toEqual([])
  expect(done).toEqual([])
})

test("an invalid record is done when Kafka has it in the invalid topic, and not before", async () => {
  const rows = simulateRows(() => 0)
  const published = Promise.withResolvers<{ kind: "published" }>()
  const handleSitePaid = createHandleSitePaid({
    ...idle,
    store: async (batch) => batch.map(() => unknownChannel),
    findUnattempted: async (events) => rows.findUnattempted(events),
    publish: () => published.promise,
  })
  const done: string[] = []
  const malformed = { ...record("malformed"), value: Buffer.from("{") }
  const handled = handleSitePaid([malformed, record("unknown")], ({ key }) => done.push(key ?? ""))
  // A handler that does not wait for the broker would be done by now.
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual([])
  published.resolve({ kind: "published" })
  await handled
  expect(done.toSorted()).toEqual(["malformed", "unknown"])
})
