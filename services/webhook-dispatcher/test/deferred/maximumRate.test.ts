import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("two dispatchers together send a channel at most its maximum per second, and drain its deliveries", async () => {
  await using it = await startInstallation()
  const arrivals: number[] = []
  const partner = await startReceiver((_, response) => {
    arrivals.push(performance.now())
    response.writeHead(204).end()
  })
  const other = await startReceiver()
  await it.channel("acme", partner.url)
  await it.channel("other", other.url)
  await it.sql("update channel set max_per_second = 20 where id = 'acme'")
  await Promise.all([it.dispatcher(), it.dispatcher()])
  await it.publishPaid([
    ...Array.from({ length: 80 }, (_, at) => paid(`shop-${at}`)),
    ...Array.from({ length: 20 }, (_, at) => paid(`other-${at}`, { channel: "other" })),
  ])
  await waitUntil(
    "a deferral because of the rate",
    async () => (await it.count("deferred_reason = 'rate'")) > 0,
  )
  await waitUntil("the channel without a maximum", () => other.received.length === 20)
  await waitUntil("all of them", () => arrivals.length === 80)
  expect(new Set(partner.received.map(({ body }) => body.toString())).size).toBe(80)
  // Four seconds, less what a busy machine delays the first. Without a common limit, it would be two.
  expect((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(3_000)
  await Promise.all([partner.close(), other.close()])
})

test("claims that wait for their start are released at a stop, so that another dispatcher sends them at once", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.sql("update channel set max_per_second = 4")
  const first = await it.dispatcher()
  await it.publishPaid(Array.from({ length: 6 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("the first", () => partner.received.length > 0)
  await waitUntil("each to be deferred", async () => (await it.count()) === 6)
  expect(await first.stop()).toBe(0)
  expect(await it.sql("select from waiting_delivery where lease_expires_at is not null")).toEqual([])
  await it.dispatcher()
  await waitUntil("all of them", () => partner.received.length === 6)
  await partner.close()
})
