import { startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { nonEmpty } from "../fixtures/nonEmpty.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("a delivery that fails is retried after each delay, never early, with the same id and the same bytes", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300, 600] })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before < 3 ? 500 : 200).end("no")
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("four attempts", () => partner.received.length === 4)
  const [first, ...others] = partner.received
  for (const request of others) {
    expect(request.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true)
    expect(request.headers["x-sitewire-delivery"]).toBe(first?.headers["x-sitewire-delivery"])
  }
  const numbers = partner.received.map((request) => request.headers["x-sitewire-attempt"])
  expect(numbers).toEqual(["1", "2", "3", "4"])
  const gaps = others.map((request, at) => request.at - (partner.received[at]?.at ?? 0))
  for (const [at, wait] of [300, 600, 600].entries()) expect(gaps[at]).toBeGreaterThanOrEqual(wait)
  const rows = await waitUntil("the end", async () => {
    const found = await it.sql(
      `select state, attempts, next_attempt_at from ${deliveryRows} where state = 'delivered'`,
    )
    return found.length > 0 && found
  })
  expect(rows).toEqual([{ state: "delivered", attempts: 4, next_attempt_at: null }])
  const log = await it.sql(
    "select number, status, error, convert_from(response_excerpt, 'utf8') as said from attempt order by 1",
  )
  expect(log).toMatchObject([
    { number: 1, status: 500, error: "status", said: "no" },
    { number: 2, error: "status" },
    { number: 3, error: "status" },
    { number: 4, status: 200, error: null },
  ])
  await partner.close()
})

test("after the retry period a delivery is dead, with a dead letter and without its body on Kafka", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200, 600_000] })
  const partner = await startReceiver((_, response) => response.writeHead(503).end())
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  // The second retry would be due after this.
  await it.dispatcher({ RETRY_PERIOD: "1m" })
  await it.publishPaid([paid("shop-1")])
  const [letter] = await waitUntil("the dead letter", () => nonEmpty(letters))
  expect(JSON.parse(String(letter?.value))).toMatchObject({
    channel: "acme",
    last_error: "status",
    last_status: 503,
  })
  expect(String(letter?.value)).not.toContain("owner@shop.example")
  await waitUntil("the state", async () => (await it.count("state = 'dead'")) === 1)
  expect(partner.received).toHaveLength(2)
  await partner.close()
})

test("a corrected address takes effect for deliveries that already wait", async () => {
  await using it = await startInstallation()
  const right = await startReceiver()
  const wrong = await startReceiver(async (_, response) => {
    await it.sql("update channel set address = $1", [right.url])
    response.writeHead(404).end()
  })
  await it.channel("acme", wrong.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the retry at the new address", () => right.received.length === 1)
  expect(wrong.received).toHaveLength(1)
  await Promise.all([wrong.close(), right.close()])
})

test("Retry-After in a response moves the next attempt to the longer delay", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200, 1_000] })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before ? 200 : 429, before ? {} : { "retry-after": "1" }).end()
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the retry", () => partner.received.length === 2)
  const [first, second] = partner.received
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1_000)
  await partner.close()
})
