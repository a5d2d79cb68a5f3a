import { startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows, insertDelivery } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { failsForLong, paid, scheduledForLong, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForAttempts } from "../fixtures/waitForAttempts.ts"
import { waitForStale } from "../fixtures/waitForStale.ts"

const theRow = `select state, attempts, next_attempt_at, deferred_at, last_error, finished_at is not null as finished from ${deliveryRows}`
const cancelled = {
  state: "cancelled",
  attempts: 1,
  next_attempt_at: null,
  deferred_at: null,
  last_error: "status",
  finished: true,
}

test("the retry record of a cancelled delivery is dropped, the poll does not revive it, and it can be resent", async () => {
  await using it = await startInstallation({ retryDelaysMs: scheduledForLong })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before ? 200 : 503, failsForLong).end()
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitForAttempts(it, 1)
  expect(await it.cancel("shop-1")).toBe(true)
  await it.publishRetry(await it.idOf(), 1)
  await waitForStale(dispatcher)
  // A duplicate of the event is not sent either.
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("the other delivery", () => partner.received.length >= 2)
  await insertDelivery(it.sql, { attempts: "1", next_attempt_at: "now() - interval '1 hour'" })
  await waitUntil("the poll, which finds what no record has woken", () => partner.received.length >= 3)
  expect(partner.received.filter(({ body }) => body.includes("shop-1")).length).toBe(1)
  expect(await it.sql(`${theRow} where event_id = 'shop-1'`)).toEqual([cancelled])

  await it.resend(await it.idOf("shop-1"))
  await waitUntil("the resend", () => partner.received.length === 4)
  await waitUntil("its record", async () => {
    const [resent] = await it.sql(`${theRow} where event_id = 'shop-1'`)
    return resent?.state === "delivered" && resent.attempts === 2
  })
  await partner.close()
})

test("an attempt in flight when its delivery is cancelled is recorded: accepted, the delivery is delivered; failed, it stays cancelled", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300] })
  const answer = Promise.withResolvers<void>()
  // The first attempts fail, because a delivery cannot be cancelled before the outcome of its first attempt is stored.
  const partner = await startReceiver(async ({ body, headers }, response) => {
    const isFirst = headers["x-sitewire-attempt"] === "1"
    if (!isFirst) await answer.promise
    response.writeHead(isFirst || body.includes("shop-1") ? 500 : 200).end()
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("both second attempts", () => partner.received.length === 4)
  expect(await it.cancel("shop-1")).toBe(true)
  expect(await it.cancel("shop-2")).toBe(true)
  answer.resolve()
  await waitForAttempts(it, 4)
  expect(await it.sql(`${theRow} order by event_id`)).toEqual([
    { ...cancelled, attempts: 2 },
    { ...cancelled, attempts: 2, state: "delivered" },
  ])
  expect(partner.received.length).toBe(4)
  await partner.close()
})

test("a deferred delivery that is cancelled is not claimed, and a claimed one ends as its attempt does", async () => {
  await using it = await startInstallation()
  const answer = Promise.withResolvers<void>()
  const partner = await startReceiver(async (_, response) => {
    await answer.promise
    response.writeHead(200).end()
  })
  await it.channel("acme", partner.url)
  await it.pause("acme")
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("both to be deferred", async () => {
    return (await it.count("deferred_at is not null")) === 2
  })
  expect(await it.cancel("shop-1")).toBe(true)
  await it.resume("acme")
  await waitUntil("the attempt of the other", () => partner.received.length === 1)
  expect(await it.cancel("shop-2")).toBe(true)
  answer.resolve()
  await waitForAttempts(it, 1)
  expect(await dispatcher.stop()).toBe(0)
  expect(await it.sql(`${theRow} order by event_id`)).toEqual([
    { ...cancelled, attempts: 0, last_error: null },
    { ...cancelled, state: "delivered", last_error: null },
  ])
  expect(partner.received.length).toBe(1)
  await partner.close()
})
