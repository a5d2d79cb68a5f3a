import { startReceiver, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { createRecall, type PutOff } from "./recall.ts"
import { paid, startInstallation } from "./testDispatcher.ts"

test("a burst to a partner that is well and slow goes out at the partner's pace, and not a second's worth a minute", async () => {
  await using it = await startInstallation({ retryDelaysMs: [20_000] })
  const partner = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 50)
  })
  const quick = await startReceiver()
  await it.channel("acme", partner.url)
  await it.channel("quick", quick.url)
  const dispatcher = await it.dispatcher({
    DELIVERY_TIMEOUT: "2s",
    CHANNEL_MAX_IN_FLIGHT: "4",
    CHANNEL_MAX_WAIT: "100ms",
  })
  const publishedAt = Date.now()
  // Some 70 a second are taken, 12 without being put off.
  await it.publishPaid(Array.from({ length: 200 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("all of them", () => partner.received.length >= 200, 30_000)
  // Before the first record could have come back.
  expect(Date.now() - publishedAt).toBeLessThan(20_000)
  await it.publishPaid([paid("last", { channel: "quick" })])
  await waitUntil("the one of another", () => quick.received.length === 1)
  await waitUntil(
    "the rows",
    async () =>
      (await it.sql("select from delivery where state = 'delivered' and attempts = 1")).length === 201,
  )
  const figures = async () => (await fetch(`${dispatcher.addresses.ops}/metrics`)).text()
  const count = (text: string, name: string) =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\d+)`, "m").exec(text)?.[1])
  const putOff = count(await figures(), "sitewire_deliveries_put_off_total")
  expect(putOff).toBeGreaterThan(100)
  expect(count(await figures(), "sitewire_deliveries_recalled_total")).toBe(putOff)
  // The records come back behind the attempts, and are dropped.
  await waitUntil(
    "the records",
    async () => count(await figures(), "sitewire_deliveries_stale_total") === putOff,
    40_000,
  )
  expect(partner.received).toHaveLength(200)
  expect(new Set(partner.received.map(({ headers }) => headers["x-sitewire-delivery"])).size).toBe(200)
  await Promise.all([partner.close(), quick.close()])
}, 120_000)

test("what a quick partner had no room for goes out at once, although it had room before that was put off", async () => {
  await using it = await startInstallation({ retryDelaysMs: [20_000] })
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const waits = await it.read(it.names.retry[0] ?? "")
  // Nothing waits for a place, and the partner answers sooner than the broker: none is under way when the rest is put off.
  await it.dispatcher({ DELIVERY_TIMEOUT: "2s", CHANNEL_MAX_IN_FLIGHT: "2", CHANNEL_MAX_WAIT: "0ms" })
  const publishedAt = Date.now()
  await it.publishPaid(Array.from({ length: 40 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("all of them", () => partner.received.length === 40, 30_000)
  expect(Date.now() - publishedAt).toBeLessThan(15_000)
  expect(waits.length).toBeGreaterThan(0)
  await partner.close()
}, 60_000)

test("what was never asked of a busy partner does not die of the retry period", async () => {
  await using it = await startInstallation({ retryDelaysMs: [500] })
  const partner = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 100)
  })
  await it.channel("acme", partner.url)
  // Delays this short leave no time to recall anything in.
  await it.dispatcher({ RETRY_PERIOD: "1s", CHANNEL_MAX_IN_FLIGHT: "2", CHANNEL_MAX_WAIT: "200ms" })
  await it.publishPaid(Array.from({ length: 40 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("all of them", () => partner.received.length === 40, 30_000)
  await waitUntil(
    "the rows",
    async () => (await it.sql("select from delivery where state = 'delivered'")).length === 40,
  )
  await partner.close()
}, 60_000)

const putOff = (channel: string, at: number, until = 1_000): PutOff => ({
  channel,
  next: { delivery: `${channel}-${at}`, attempt: 1, failures: 0, since: "", correlation: "" },
  until,
})

/** A recall whose channels have as much room as `room` says, and whose attempts end when they are told to. */
function startRecall(bounds: { maxKept?: number; maxOut?: number } = {}) {
  const room = new Map<string, number>()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const endOne: (() => void)[] = []
  let now = 0
  const recall = createRecall({
    roomOf: (channel) => room.get(channel) ?? 0,
    async attempt(batch, asked, ended) {
      begun.push(...batch.map(({ next }) => next.delivery))
      asked()
      endOne.push(ended)
      await new Promise<void>((resolve) => ends.push(resolve))
    },
    maxKept: 100,
    maxOut: 100,
    onError: () => {},
    now: () => now,
    ...bounds,
  })
  const setNow = (at: number) => {
    now = at
  }
  return { recall, room, begun, ends, endOne, setNow }
}

test("as many are recalled as the channel has room for, the oldest first, and of others none", () => {
  const { recall, room, begun } = startRecall()
  for (let at = 0; at < 5; at++) recall.remember(putOff("a", at))
  recall.remember(putOff("b", 0))
  expect(begun).toEqual([])
  room.set("a", 3)
  recall.recall("a")
  expect(begun).toEqual(["a-0", "a-1", "a-2"])
  recall.recall("a")
  expect(begun).toEqual(["a-0", "a-1", "a-2", "a-3", "a-4"])
  expect(recall.counts()).toEqual({ kept: 1, out: 5 })
})

test("none is recalled so late that its record could come back meanwhile", () => {
  const { recall, room, begun, setNow } = startRecall()
  recall.remember(putOff("a", 0, 1_000))
  recall.remember(putOff("a", 1, 2_000))
  setNow(1_500)
  room.set("a", 10)
  recall.recall("a")
  expect(begun).toEqual(["a-1"])
  setNow(3_000)
  recall.remember(putOff("a", 2, 2_500))
  expect(recall.counts()).toEqual({ kept: 0, out: 1 })
})

test("memory and what is under way are bounded over all channels", async () => {
  const { recall, room, begun, ends } = startRecall({ maxKept: 4, maxOut: 3 })
  for (const channel of ["a", "b", "c"]) for (let at = 0; at < 2; at++) recall.remember(putOff(channel, at))
  expect(recall.counts().kept).toBe(4)
  for (const channel of ["a", "b"]) {
    room.set(channel, 10)
    recall.recall(channel)
  }
  expect(begun).toEqual(["a-0", "a-1", "b-0"])
  for (const end of ends.splice(0)) end()
  await waitUntil("the last", () => begun.length === 4)
  expect(recall.counts()).toEqual({ kept: 0, out: 1 })
})

test("one that hangs holds up neither its own channel nor others: each that ends makes room for one more", async () => {
  const { recall, room, begun, endOne } = startRecall({ maxOut: 2 })
  for (let at = 0; at < 2; at++) recall.remember(putOff("hangs", at))
  recall.remember(putOff("quick", 0))
  for (const channel of ["hangs", "quick"]) {
    room.set(channel, 10)
    recall.recall(channel)
  }
  expect(begun).toEqual(["hangs-0", "hangs-1"])
  endOne[0]?.()
  await waitUntil("the next", () => begun.length === 3)
  expect(begun[2]).toBe("quick-0")
  expect(recall.counts()).toEqual({ kept: 0, out: 2 })
})

test("what was recalled and had been attempted already leaves its room to what was put off after it", async () => {
  const { recall, room, begun, ends } = startRecall()
  for (let at = 0; at < 3; at++) recall.remember(putOff("a", at))
  room.set("a", 2)
  recall.recall("a")
  expect(begun).toEqual(["a-0", "a-1"])
  for (const end of ends.splice(0)) end()
  await waitUntil("the last", () => begun.length === 3)
})

test("what can no longer be recalled makes place for what can", () => {
  const { recall, setNow } = startRecall({ maxKept: 2 })
  recall.remember(putOff("silent", 0, 1_000))
  recall.remember(putOff("silent", 1, 1_000))
  recall.remember(putOff("a", 0, 3_000))
  expect(recall.counts().kept).toBe(2)
  setNow(2_000)
  recall.remember(putOff("a", 1, 3_000))
  expect(recall.counts().kept).toBe(1)
})

test("a channel whose breaker opens is forgotten, and after a close nothing is recalled", async () => {
  const { recall, room, begun, ends } = startRecall()
  recall.remember(putOff("a", 0))
  recall.forget("a")
  room.set("a", 1)
  recall.recall("a")
  expect(begun).toEqual([])
  recall.remember(putOff("a", 1))
  // Whoever has put it off has it in hand until now.
  expect(begun).toEqual([])
  await waitUntil("it to be recalled", () => begun.length > 0)
  expect(begun).toEqual(["a-1"])
  const closed = recall.close(10_000)
  recall.remember(putOff("a", 2))
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(["a-1"])
  for (const end of ends) end()
  await closed
  expect(recall.counts().out).toBe(0)
})
