import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

type Installation = Awaited<ReturnType<typeof startInstallation>>

const events = (count: number, overrides = {}) =>
  Array.from({ length: count }, (_, at) => paid(`shop-${at}`, overrides))

const deferred = async (it: Installation) =>
  (await it.sql("select from delivery where deferred_at is not null")).length

const delivered = async (it: Installation) =>
  (await it.sql("select from delivery where state = 'delivered'")).length

test("a burst to a slow partner is sent at the partner's pace, with one attempt each, and without retry records", async () => {
  await using it = await startInstallation({ retryDelaysMs: [20_000] })
  const partner = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(204).end(), 50)
  })
  const quick = await startReceiver()
  await it.channel("acme", partner.url)
  await it.channel("quick", quick.url)
  const retries = await it.read(it.names.retry[0] ?? "")
  const dispatcher = await it.dispatcher({ CHANNEL_MAX_CONCURRENCY: "4", CHANNEL_MAX_WAIT: "100ms" })
  await it.publishPaid(events(200))
  await waitUntil("some to be deferred", async () => (await deferred(it)) > 0)
  await it.publishPaid([paid("last", { channel: "quick" })])
  await waitUntil("the one of another channel", () => quick.received.length === 1)
  await waitUntil("all of them", () => partner.received.length >= 200)
  await waitUntil("the rows", async () => (await delivered(it)) === 201)
  expect(await it.sql("select from delivery where attempts = 1 and deferred_at is null")).toHaveLength(201)
  expect(new Set(partner.received.map(({ headers }) => headers["x-sitewire-delivery"])).size).toBe(200)
  expect(partner.received).toHaveLength(200)
  expect(retries).toEqual([])
  const metrics = await dispatcher.metrics()
  expect(metrics).toMatch(/^sitewire_deliveries_deferred_total\{reason="busy".*\} [1-9]\d\d$/m)
  await Promise.all([partner.close(), quick.close()])
})

test("a delivery that was never attempted, or failed once, does not die of a partner's lack of capacity", async () => {
  await using it = await startInstallation({ retryDelaysMs: [500] })
  const failed = new Set<unknown>()
  const partner = await startReceiver(({ headers }, response) => {
    const id = headers["x-sitewire-delivery"]
    // Five fail once. When their retries are due, the partner is busy for longer than the retry period.
    const fails = failed.size < 5 && !failed.has(id)
    if (fails) failed.add(id)
    setTimeout(() => response.writeHead(fails ? 500 : 204).end(), 300)
  })
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  await it.dispatcher({ RETRY_PERIOD: "4s", CHANNEL_MAX_CONCURRENCY: "2", CHANNEL_MAX_WAIT: "200ms" })
  await it.publishPaid(events(60))
  await waitUntil("all of them", async () => (await delivered(it)) === 60)
  expect(failed.size).toBe(5)
  expect(letters).toEqual([])
  await partner.close()
})

test("two dispatchers share the deferred deliveries, and make no attempt twice", async () => {
  await using it = await startInstallation({ retryDelaysMs: [20_000] })
  // No response before both have claimed, so that neither can attempt all of them alone.
  const bothClaimed = Promise.withResolvers<void>()
  const partner = await startReceiver(async (_, response) => {
    await bothClaimed.promise
    response.writeHead(204).end()
  })
  await it.channel("acme", partner.url)
  await it.pause("acme")
  const both = await Promise.all([it.dispatcher(), it.dispatcher()])
  await it.publishPaid(events(200))
  await waitUntil("all to be deferred", async () => (await deferred(it)) === 200)
  await it.resume("acme")
  await waitUntil("a claim of each dispatcher", async () => {
    const metrics = await Promise.all(both.map((dispatcher) => dispatcher.metrics()))
    return metrics.every((text) => /^sitewire_deliveries_claimed_total(\{.*\})? [1-9]/m.test(text))
  })
  bothClaimed.resolve()
  await waitUntil("all of them", async () => (await delivered(it)) === 200)
  expect(partner.received).toHaveLength(200)
  await partner.close()
})
