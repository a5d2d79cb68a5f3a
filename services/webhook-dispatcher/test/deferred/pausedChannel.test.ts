import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

const events = (count: number) => Array.from({ length: count }, (_, at) => paid(`shop-${at}`))

test("a paused channel's deliveries outlast their retry period and a restart without an attempt, and then all arrive", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  let broken = true
  const failedAfter = new Set<unknown>()
  const partner = await startReceiver(({ headers }, response) => {
    // After the resume a few fail once more, early in their retry period.
    const fails = broken || (failedAfter.size < 5 && !failedAfter.has(headers["x-sitewire-delivery"]))
    if (fails && !broken) failedAfter.add(headers["x-sitewire-delivery"])
    response.writeHead(fails ? 500 : 204).end()
  })
  const other = await startReceiver()
  await it.channel("acme", partner.url)
  await it.channel("other", other.url)
  const letters = await it.read(it.names.dead)
  const first = await it.dispatcher()
  await it.publishPaid([paid("failed-before")])
  await waitUntil("a failed attempt", async () => (await it.sql("select 1 from attempt")).length === 1)
  await it.pause("acme")

  await it.publishPaid(events(40))
  await it.publishPaid([paid("not-paused", { channel: "other" })])
  await waitUntil("another channel's delivery", () => other.received.length === 1)
  await waitUntil("each to be deferred", async () => (await it.count("deferred_reason = 'paused'")) === 41)
  const before = partner.received.length
  const retries = await it.read(it.names.retry[0] ?? "")
  await first.stop()
  // As if the pause had lasted two hours, which is longer than the retry period.
  await it.sql(
    "update waiting_delivery set deferred_at = deferred_at - interval '2 hours', period_started_at = period_started_at - interval '2 hours'",
  )
  await it.dispatcher()
  await it.publishPaid([paid("after-restart", { channel: "other" })])
  await waitUntil("another channel's delivery", () => other.received.length === 2)
  const states = await it.sql(
    "select state, attempts > 0 as attempted, count(*)::int from delivery where channel_id = 'acme' group by 1, 2 order by 2",
  )
  expect(states).toEqual([
    { state: "pending", attempted: false, count: 40 },
    { state: "pending", attempted: true, count: 1 },
  ])
  expect(partner.received).toHaveLength(before)
  expect(letters).toEqual([])
  const producedBefore = retries.length

  broken = false
  await it.resume("acme")
  await waitUntil("all of them", async () => (await it.count("state = 'delivered'")) === 43)
  const after = partner.received.slice(before)
  expect(failedAfter.size).toBe(5)
  expect(after.filter(({ headers }) => headers["x-sitewire-attempt"] === "1")).toHaveLength(40)
  expect(new Set(after.map(({ body }) => body.toString())).size).toBe(41)
  expect(letters).toEqual([])
  // Only deliveries that failed after the resume were scheduled. The pause produced no record.
  expect(producedBefore).toBeLessThanOrEqual(before)
  await Promise.all([partner.close(), other.close()])
})

test("after a resume, deliveries are sent at once, one at a time at first, and one more with each success", async () => {
  // The delay is far longer than the test may take: no retry topic is involved.
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const pendingResponses: (() => void)[] = []
  let holding = true
  let inFlight = 0
  const inFlightSeen: number[] = []
  const partner = await startReceiver((_, response) => {
    inFlight += 1
    inFlightSeen.push(inFlight)
    const respond = () => {
      inFlight -= 1
      response.writeHead(204).end()
    }
    if (holding) pendingResponses.push(respond)
    else setTimeout(respond, 20)
  })
  await it.channel("acme", partner.url)
  await it.pause("acme")
  await it.dispatcher({ CHANNEL_MAX_WAIT: "50ms", DELIVERY_TIMEOUT: "150s" })
  await it.publishPaid(events(20))
  const unleased = () => it.count("deferred_at is not null and lease_expires_at is null")
  await waitUntil("each to be deferred", async () => (await unleased()) === 20)
  await it.resume("acme")
  await waitUntil("the first", () => pendingResponses.length === 1)
  // Other claims were released, because the first attempt takes long.
  await waitUntil("the others to be deferred", async () => (await unleased()) === 19)
  expect(partner.received).toHaveLength(1)
  holding = false
  for (const respond of pendingResponses.splice(0)) respond()
  await waitUntil("all", () => partner.received.length === 20)
  expect(inFlightSeen.every((count, at) => count <= at + 1)).toBe(true)
  await partner.close()
})

test("pausing and resuming a channel update no delivery rows", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.pause("acme")
  const dispatcher = await it.dispatcher()
  await it.publishPaid(events(10))
  await waitUntil("each to be deferred", async () => (await it.count("deferred_reason = 'paused'")) === 10)
  expect(await dispatcher.stop()).toBe(0)
  const versions = () => it.sql("select delivery_id, xmin::text from waiting_delivery order by delivery_id")
  const before = await versions()
  await it.resume("acme")
  await it.pause("acme")
  expect(await versions()).toEqual(before)
  await partner.close()
})
