import { startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

const events = (count: number) => Array.from({ length: count }, (_, at) => paid(`shop-${at}`))

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
  await waitUntil("some to be deferred", async () => (await it.count("deferred_at is not null")) > 0)
  await it.publishPaid([paid("last", { channel: "quick" })])
  await waitUntil("the one of another channel", () => quick.received.length === 1)
  await waitUntil("all of them", () => partner.received.length >= 200)
  await waitUntil("the rows", async () => (await it.count("state = 'delivered'")) === 201)
  expect(await it.sql(`select from ${deliveryRows} where attempts = 1 and deferred_at is null`)).toHaveLength(
    201,
  )
  expect(new Set(partner.received.map(({ headers }) => headers["x-sitewire-delivery"])).size).toBe(200)
  expect(partner.received).toHaveLength(200)
  expect(retries).toEqual([])
  const metrics = await dispatcher.metrics()
  expect(metrics).toMatch(/^sitewire_deliveries_deferred_total\{reason="busy".*\} [1-9]\d+$/m)
  await Promise.all([partner.close(), quick.close()])
})

test("a delivery that was never attempted, or failed once, does not die of a partner's lack of capacity", async () => {
  await using it = await startInstallation({ retryDelaysMs: [100] })
  const failures = new Map<unknown, number>()
  let recovered = false
  let held = 0
  const isBusy = Promise.withResolvers<void>()
  const partner = await startReceiver(async ({ headers }, response) => {
    const id = headers["x-sitewire-delivery"]
    const before = failures.get(id)
    // Five fail before the partner is busy, and once more when it is not busy any longer.
    if ((before === 1 && recovered) || (before === undefined && failures.size < 5)) {
      failures.set(id, (before ?? 0) + 1)
      return void response.writeHead(500).end()
    }
    held += 1
    await isBusy.promise
    response.writeHead(204).end()
  })
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  await it.dispatcher({
    RETRY_PERIOD: "1h",
    CHANNEL_MAX_CONCURRENCY: "2",
    CHANNEL_MAX_WAIT: "100ms",
    DELIVERY_TIMEOUT: "150s",
  })
  await it.publishPaid(events(20))
  await waitUntil("all but those in flight to be deferred", async () => {
    return (await it.count("deferred_reason = 'busy' and lease_expires_at is null")) === 18
  })
  // An attempt in flight may not have reached the partner yet. It must not do so after the recovery.
  await waitUntil("both in flight at the partner", () => held === 2)
  const failed = await it.count("deferred_at is not null and failures = 1")
  // Two of the five may be in flight.
  expect(failed).toBeGreaterThanOrEqual(3)
  // As if the partner had been busy for two hours.
  await it.sql(
    "update waiting_delivery set deferred_at = deferred_at - interval '2 hours', period_started_at = period_started_at - interval '2 hours'",
  )
  recovered = true
  isBusy.resolve()
  await waitUntil("all of them", async () => (await it.count("state = 'delivered'")) === 20)
  expect([...failures.values()].filter((count) => count === 2)).toHaveLength(failed)
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
  await waitUntil("all to be deferred", async () => (await it.count("deferred_at is not null")) === 200)
  await it.resume("acme")
  await waitUntil("a claim of each dispatcher", async () => {
    const metrics = await Promise.all(both.map((dispatcher) => dispatcher.metrics()))
    return metrics.every((text) => /^sitewire_deliveries_claimed_total(\{.*\})? [1-9]/m.test(text))
  })
  bothClaimed.resolve()
  await waitUntil("all of them", async () => (await it.count("state = 'delivered'")) === 200)
  expect(partner.received).toHaveLength(200)
  await partner.close()
})
