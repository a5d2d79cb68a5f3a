import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

/** The most arrivals in any second. */
function mostInASecond(arrivals: number[]): number {
  return Math.max(...arrivals.map((from) => arrivals.filter((at) => at >= from && at < from + 1_000).length))
}

test("two dispatchers together send a channel at most its maximum per second, and drain at that rate", async () => {
  await using it = await startInstallation()
  const arrivals: number[] = []
  const partner = await startReceiver((_, response) => {
    arrivals.push(performance.now())
    response.writeHead(204).end()
  })
  const other = await startReceiver()
  await it.channel("acme", partner.url)
  await it.channel("other", other.url)
  await it.sql("update channel set max_per_second = 10 where id = 'acme'")
  await Promise.all([it.dispatcher(), it.dispatcher()])
  await it.publishPaid([
    ...Array.from({ length: 100 }, (_, at) => paid(`shop-${at}`)),
    ...Array.from({ length: 20 }, (_, at) => paid(`other-${at}`, { channel: "other" })),
  ])
  await waitUntil("a deferral because of the rate", async () => {
    return (await it.sql("select from delivery where deferred_reason = 'rate'")).length > 0
  })
  await waitUntil("the channel without a maximum", () => other.received.length === 20)
  expect(arrivals.length).toBeLessThan(80)
  await waitUntil("all of them", () => arrivals.length === 100)
  expect(new Set(partner.received.map(({ body }) => body.toString())).size).toBe(100)
  // 10 on an idle machine. On a busy one some arrive late, but two dispatchers without a common limit send 20.
  expect(mostInASecond(arrivals)).toBeLessThan(18)
  const seconds = ((arrivals.at(-1) ?? 0) - (arrivals[0] ?? 0)) / 1_000
  expect(seconds).toBeGreaterThan(9)
  expect(seconds).toBeLessThan(25)
  await Promise.all([partner.close(), other.close()])
})

test("claims that wait for their start are released at a stop, so that another dispatcher sends them at once", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.sql("update channel set max_per_second = 2")
  const first = await it.dispatcher()
  await it.publishPaid(Array.from({ length: 6 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("the first", () => partner.received.length > 0)
  await waitUntil("each to be deferred", async () => (await it.sql("select from delivery")).length === 6)
  expect(await first.stop()).toBe(0)
  expect(await it.sql("select from delivery where lease_expires_at is not null")).toEqual([])
  await it.dispatcher()
  await waitUntil("all of them", () => partner.received.length === 6)
  await partner.close()
})
