import type { Incoming } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
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

/** Parts that do nothing, for those that a test does not look at. */
const idle: HandleSitePaidParts = {
  store: async () => [],
  findUnattempted: async () => [],
  publish: async () => ({ kind: "published" }),
  handleNewDelivery: async () => {},
  handleStoredDelivery: async () => {},
  invalidTopic: "invalid",
  isInvalidData: () => false,
  metrics: createTestMetrics(),
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
  paused_at: null,
}

const stored = {
  id: "00000000-0000-7000-8000-000000000001",
  channelId: "acme",
  body: Buffer.alloc(0),
  bodySha256: Buffer.alloc(0),
  correlation: "shop",
  appendedAt: 0,
}

function record(event: string): Incoming {
  const value = Buffer.from(JSON.stringify(paid(event)))
  return { topic: "paid", partition: 0, offset: "0", key: event, value, headers: {}, appendedAt: 0 }
}

// Which of two hand-overs is served first cannot be caused with a real database.
test("a new delivery is taken before a later copy of its event can be, although its batch still looks others up", async () => {
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

test("of an event that is stored, only what is delivered is kept in memory", async () => {
  const rows = simulateRows(() => 0)
  const answered = Promise.withResolvers<void>()
  const begun: DueDelivery[] = []
  const handleSitePaid = createHandleSitePaid({
    ...idle,
    store: async (batch) => rows.storeDeliveries(batch),
    findUnattempted: async (events) => rows.findUnattempted(events),
    handleNewDelivery: (due) => {
      begun.push(due)
      return answered.promise
    },
  })
  const large = record("large")
  large.value = Buffer.from(JSON.stringify({ ...paid("large"), extra: "x".repeat(800_000) }))
  const handled = handleSitePaid([large], () => {})
  await waitUntil("the attempt", () => begun.length === 1)
  expect(large.value).toBeNull()
  expect(begun[0]?.body.length).toBeLessThan(1_000)
  answered.resolve()
  await handled
})

test("what fails while the rest of its batch is being stored is told by the call, and ends no process", async () => {
  const unheard: unknown[] = []
  const onUnheard = (error: unknown) => unheard.push(error)
  process.on("unhandledRejection", onUnheard)
  onTestFinished(() => void process.off("unhandledRejection", onUnheard))
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
  expect(unheard).toEqual([])
  expect(done).toEqual([])
})

test("a refused record is done when it is put aside, and not before", async () => {
  const rows = simulateRows(() => 0)
  const putAside = Promise.withResolvers<{ kind: "published" }>()
  const handleSitePaid = createHandleSitePaid({
    ...idle,
    store: async (batch) => batch.map(() => unknownChannel),
    findUnattempted: async (events) => rows.findUnattempted(events),
    publish: () => putAside.promise,
  })
  const done: string[] = []
  const malformed = { ...record("malformed"), value: Buffer.from("{") }
  const handled = handleSitePaid([malformed, record("unknown")], ({ key }) => done.push(key ?? ""))
  // Whatever is done without waiting for the broker is done by then.
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual([])
  putAside.resolve({ kind: "published" })
  await handled
  expect(done.toSorted()).toEqual(["malformed", "unknown"])
})
