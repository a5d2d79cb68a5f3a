import { startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { nonEmpty } from "../fixtures/nonEmpty.ts"
import { failsForLong, paid, scheduledForLong, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForStale } from "../fixtures/waitForStale.ts"

test("a resend is sent at once as the next attempt, and a delivered delivery stays delivered", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("delivered", async () => (await it.count("attempts = 1")) === 1)
  await it.resend(await it.idOf())
  await waitUntil("the resend", () => partner.received.length === 2)
  expect(partner.received[1]?.body.equals(partner.received[0]?.body ?? Buffer.alloc(0))).toBe(true)
  expect(partner.received[1]?.headers["x-sitewire-attempt"]).toBe("2")
  const [after] = await waitUntil("its record", async () =>
    nonEmpty(await it.sql(`select state, attempts, deferred_at from ${deliveryRows} where attempts = 2`)),
  )
  expect(after).toEqual({ state: "delivered", attempts: 2, deferred_at: null })
  await partner.close()
})

test("a resend of a dead delivery starts a new retry period, and sends the same bytes", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200, 600_000] })
  let well = false
  const partner = await startReceiver((_, response) => response.writeHead(well ? 200 : 503).end())
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  const scheduled = await it.read(it.names.retry[0] ?? "")
  // The second retry would be due after this.
  await it.dispatcher({ RETRY_PERIOD: "1m" })
  await it.publishPaid([paid("shop-1")])
  const [letter] = await waitUntil("the dead letter", () => nonEmpty(letters))
  const { delivery, attempts } = JSON.parse(String(letter?.value)) as { delivery: string; attempts: number }
  await waitUntil("the state", async () => (await it.count("state = 'dead'")) === 1)

  await it.resend(delivery)
  await waitUntil("the resend", () => partner.received.length === attempts + 1)
  well = true
  const retry = await waitUntil("its retry", () => partner.received[attempts + 1])
  const resent = partner.received[attempts]
  // After the first delay, not the one that the dead delivery had reached.
  expect(retry.at - (resent?.at ?? 0)).toBeGreaterThanOrEqual(200)
  const numbers = () => scheduled.map(({ value }) => JSON.parse(String(value)).attempt)
  await waitUntil("the records", () => numbers().length === 2)
  expect(numbers()).toEqual([2, attempts + 2])
  expect(new Set(partner.received.map(({ body }) => body.toString())).size).toBe(1)
  expect(new Set(partner.received.map(({ headers }) => headers["x-sitewire-delivery"]))).toEqual(
    new Set([delivery]),
  )
  await waitUntil("the state", async () => (await it.count("state = 'delivered'")) === 1)
  await partner.close()
})

test("a failed resend is retried, even if the clock of the process that requested it is wrong", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  const receiver = await startReceiver((_, response, before) => {
    response.writeHead(before === 1 ? 500 : 204).end()
  })
  await it.channel("acme", receiver.url)
  await it.dispatcher()
  await it.publishPaid([paid("event")])
  await waitUntil("the delivery", async () => (await it.count("state = 'delivered'")) === 1)
  // As if the requester's clock were an hour behind Postgres's.
  await it.sql("update delivery set finished_at = now() + interval '1 hour'")
  await it.resend(await it.idOf())
  await waitUntil("the retry of the resend", () => receiver.received.length === 3)
  expect(receiver.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "2", "3"])
  await receiver.close()
})

test("a resend requested while an attempt is in flight is sent after it, with the next number", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  const pendingResponses: (() => void)[] = []
  const partner = await startReceiver(({ headers }, response) => {
    if (headers["x-sitewire-attempt"] === "1") response.writeHead(500).end()
    else pendingResponses.push(() => response.writeHead(204).end())
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the retry", () => pendingResponses.length === 1)
  await it.resend(await it.idOf())
  pendingResponses[0]?.()
  await waitUntil("the resend", () => pendingResponses.length === 2)
  pendingResponses[1]?.()
  await waitUntil("its record", async () => (await it.count("attempts = 3 and deferred_at is null")) === 1)
  expect(partner.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "2", "3"])
  await partner.close()
})

test("a resend replaces the scheduled retry, which is dropped", async () => {
  await using it = await startInstallation({ retryDelaysMs: scheduledForLong })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before ? 204 : 503, failsForLong).end()
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("a scheduled retry", async () => (await it.count("next_attempt_at is not null")) === 1)
  await it.resend(await it.idOf())
  await waitUntil("the resend", async () => (await it.count("state = 'delivered'")) === 1)
  // As if it was due.
  await it.publishRetry(await it.idOf(), 1)
  await waitForStale(dispatcher)
  expect(partner.received).toHaveLength(2)
  await partner.close()
})
