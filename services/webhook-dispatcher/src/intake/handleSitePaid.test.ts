import { connectKafka, type Incoming, startProducer } from "@sitewire/kafka"
import { startReceiver } from "@sitewire/receiver"
import { createLogger } from "@sitewire/runtime"
import { kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { simulateRows } from "../../test/fixtures/simulatedRows.ts"
import { paid, refusal, startInstallation } from "../../test/fixtures/testDispatcher.ts"
import { unreadMetrics } from "../../test/fixtures/testMetrics.ts"
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
  handleNew: async () => {},
  handleKnown: async () => {},
  invalidTopic: "invalid",
  isFaultOfRecord: () => false,
  metrics: unreadMetrics(),
  log,
}

// Which of two hand-overs is served first cannot be caused with a real database.
test("a new delivery is taken before a later copy of its event can be, although its batch still looks others up", async () => {
  const metrics = unreadMetrics()
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
    handleNew: async ({ id }: DueDelivery) => {
      lock.acquireNew(id)
      begun.push(id)
      await ended.promise
      lock.release(id)
    },
    handleKnown: async ({ delivery }) => {
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
    handleNew: (due) => {
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

test("an event that is put right under its id is delivered, although the wrong one is refused in the same batch", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const refused = await it.read(it.names.sitePaidInvalid)
  const wrong = paid("shop", { channel: "typo" })
  await it.publishPaid([wrong, wrong, paid("shop"), paid("shop"), paid("other")])
  const dispatcher = await it.dispatcher()
  await waitUntil("both deliveries", () => partner.received.length === 2)
  await waitUntil("the refusals", () => refused.length === 2)
  expect(refused.map(refusal)).toEqual(["unknown channel", "unknown channel"])
  expect(partner.received.map(({ body }) => JSON.parse(String(body)).site_url).toSorted()).toEqual([
    "https://other.example",
    "https://shop.example",
  ])
  const figures = await fetch(`${dispatcher.addresses.ops}/metrics`).then((answer) => answer.text())
  const of = (outcome: string) =>
    Number(new RegExp(`^sitewire_site_paid_total\\{outcome="${outcome}".*\\} (\\d+)`, "m").exec(figures)?.[1])
  expect(["accepted", "duplicate", "invalid"].map(of)).toEqual([2, 1, 2])
  await partner.close()
}, 60_000)

test("a record that is too large to be put aside as it came holds up nobody: its place is kept", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const refused = await it.read(it.names.sitePaidInvalid)
  const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "test", log })
  const publisher = await startProducer({ kafka, maxBatchBytes: 1_040_000 })
  await publisher.publish([{ topic: it.names.sitePaid, key: "shop", value: "x".repeat(950_000) }])
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the refusal", () => refused.length === 1)
  const [record] = refused
  expect(refusal(record)).toMatch(/^not JSON; not stored here \(.* takes 950181 bytes .*\): 950000 bytes$/)
  expect(record).toMatchObject({ value: null, headers: { "sitewire-topic": it.names.sitePaid } })
  await waitUntil("the delivery behind it", () => partner.received.length === 1)
  await publisher.close(1_000)
  await partner.close()
}, 60_000)

const unknownChannel = {
  id: "",
  fresh: false,
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
