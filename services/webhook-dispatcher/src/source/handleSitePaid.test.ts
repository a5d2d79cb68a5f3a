import type { DueDelivery, LookedUpEvent } from "@sitewire/deliveries"
import { plainAttempt } from "@sitewire/deliveries/fixtures/plainAttempt"
import type { ConsumerRecord } from "@sitewire/kafka"
import { createLogger, noTracing } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { simulateRows } from "../../test/fixtures/simulatedRows.ts"
import { paid } from "../../test/fixtures/testDispatcher.ts"
import { createTestMetrics } from "../../test/fixtures/testMetrics.ts"
import { createHandleSitePaid, type HandleSitePaidParts } from "./handleSitePaid.ts"

/** Defaults that do nothing. */
const idle = (): HandleSitePaidParts => ({
  events: { lookUp: async () => [] },
  retry: (_what, work) => work(),
  storeDelivery: async () => {},
  publish: async () => ({ kind: "published" }),
  handleDelivery: async () => {},
  invalidTopic: "invalid",
  metrics: createTestMetrics(),
  tracing: noTracing,
  log: createLogger({ service: "test", level: "silent" }),
})

const unknownChannel: LookedUpEvent = {
  known: false,
  differs: false,
  erased: false,
  channel_id: null,
  address: null,
  secret_id: null,
  secret_sealed: null,
  other_secret_id: null,
  other_secret_sealed: null,
  standard_webhooks: null,
  request_headers_sealed: null,
  send_traceparent: null,
  partner_may_change_address: null,
  paused_at: null,
  max_per_second: null,
}

function record(event: string, offset = "0"): ConsumerRecord {
  const value = Buffer.from(JSON.stringify(paid(event)))
  const original = { key: Buffer.from(event), headers: {} }
  const of = { topic: "paid", partition: 0, offset, key: event, headers: {}, original }
  return { ...of, value, appendedAt: Date.now(), timeFrom: "broker" }
}

/** A handler whose attempts end when the test says so. */
function startHandler() {
  const rows = simulateRows(() => 0)
  const begun: DueDelivery[] = []
  const responded = Promise.withResolvers<void>()
  const handle = createHandleSitePaid({
    ...idle(),
    events: { lookUp: async (given) => rows.lookUpEvents(given) },
    async handleDelivery(due) {
      begun.push(due)
      await responded.promise
      const { unstored } = due
      if (!unstored) throw new Error("a new delivery has no event")
      const attempt = { ...plainAttempt, delivery_id: due.id }
      rows.storeDeliveries([{ delivery: unstored, attempt, deferral: null }])
    },
  })
  return { rows, begun, respond: responded.resolve, handle }
}

test("an event that comes again during its attempt is not attempted again, and is done after it", async () => {
  const it = startHandler()
  const done: string[] = []
  const isDone = ({ offset }: ConsumerRecord) => void done.push(offset)
  const handled = [it.handle([record("order", "1")], isDone), it.handle([record("order", "2")], isDone)]
  await waitUntil("the attempt", () => it.begun.length > 0)
  expect(done).toEqual([])
  it.respond()
  await Promise.all(handled)
  expect(done).toEqual(["1", "2"])
  expect(it.begun).toHaveLength(1)
})

test("a record that is consumed again after a crash has the delivery id of the first time", async () => {
  const consumed = record("order")
  const [before, after] = [startHandler(), startHandler()]
  for (const { handle, respond } of [before, after]) {
    respond()
    await handle([{ ...consumed }], () => {})
  }
  expect(before.begun[0]?.id).toBe(after.begun[0]?.id)
  const other = startHandler()
  other.respond()
  await other.handle([{ ...consumed, appendedAt: consumed.appendedAt + 1 }], () => {})
  expect(other.begun[0]?.id).not.toBe(before.begun[0]?.id)
})

const day = 86_400_000

test("a record whose time a publisher's wrong clock set gets a delivery id of now", async () => {
  const it = startHandler()
  it.respond()
  for (const appendedAt of [Date.now() + day, Date.now() - 10 * day, 0])
    await it.handle([{ ...record(`at-${appendedAt}`), appendedAt, timeFrom: "publisher" }], () => {})
  expect(it.begun).toHaveLength(3)
  for (const { unstored } of it.begun)
    expect(Math.abs(Date.now() - (unstored?.appendedAt ?? 0))).toBeLessThan(day / 2)
})

test("the broker's time is taken however wrong the clock of the dispatcher's host is", async () => {
  const it = startHandler()
  it.respond()
  const times = [Date.now() + day, Date.now() - 10 * day]
  for (const appendedAt of times) await it.handle([{ ...record(`at-${appendedAt}`), appendedAt }], () => {})
  expect(it.begun.map(({ unstored }) => unstored?.appendedAt)).toEqual(times)
})

test("during an event's attempt, only its delivery stays in memory", async () => {
  const it = startHandler()
  const large = record("large")
  large.value = Buffer.from(JSON.stringify({ ...paid("large"), extra: "x".repeat(800_000) }))
  const handled = it.handle([large], () => {})
  await waitUntil("the attempt", () => it.begun.length === 1)
  expect(large.value).toBeNull()
  expect(it.begun[0]?.body.length).toBeLessThan(1_000)
  it.respond()
  await handled
})

test("a rejection that fails while its batch is being looked up makes the call reject, and is never unhandled", async () => {
  const unhandled: unknown[] = []
  const onUnhandled = (error: unknown) => unhandled.push(error)
  process.on("unhandledRejection", onUnhandled)
  onTestFinished(() => void process.off("unhandledRejection", onUnhandled))
  const lookedUp = Promise.withResolvers<LookedUpEvent[]>()
  const handleSitePaid = createHandleSitePaid({
    ...idle(),
    events: { lookUp: () => lookedUp.promise },
    publish: () => Promise.reject(new Error("the broker is unavailable, and the process stops")),
  })
  const malformed = { ...record("malformed"), value: Buffer.from("{") }
  const done: string[] = []
  const handled = handleSitePaid([malformed, record("event")], ({ key }) => done.push(key ?? ""))
  const outcome = expect(handled).rejects.toThrow()
  await new Promise((resolve) => setTimeout(resolve, 50))
  lookedUp.reject(new Error("so is the database"))
  await outcome
  expect(unhandled).toEqual([])
  expect(done).toEqual([])
})

test("an invalid record is done when Kafka has it in the invalid topic, and not before", async () => {
  const published = Promise.withResolvers<{ kind: "published" }>()
  const handleSitePaid = createHandleSitePaid({
    ...idle(),
    events: { lookUp: async (given) => given.map(() => unknownChannel) },
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

test("an event is done when its delivery is stored, also if it is only stored as erased", async () => {
  const stored = Promise.withResolvers<void>()
  const rows = simulateRows(() => 0)
  const handleSitePaid = createHandleSitePaid({
    ...idle(),
    events: { lookUp: async (given) => rows.lookUpEvents(given).map((row) => ({ ...row, erased: true })) },
    storeDelivery: () => stored.promise,
    handleDelivery: () => Promise.reject(new Error("an erased event is not sent")),
  })
  const done: string[] = []
  const handled = handleSitePaid([record("erased")], ({ key }) => done.push(key ?? ""))
  await new Promise((resolve) => setImmediate(resolve))
  expect(done).toEqual([])
  stored.resolve()
  await handled
  expect(done).toEqual(["erased"])
})
