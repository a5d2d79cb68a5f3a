import { createHmac } from "node:crypto"
import type { ServerResponse } from "node:http"
import { type Receiver, startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readCheck, requestCheck, waitForCheck } from "../fixtures/requestCheck.ts"
import { paid, secret, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

const concurrency = 4
const settings = {
  CHANNEL_MAX_CONCURRENCY: String(concurrency),
  CHANNEL_MAX_WAIT: "100ms",
  // Longer than it takes until the kill, so that no attempt times out before it.
  DELIVERY_TIMEOUT: "150s",
}
const counts = { acme: 400, slow: 60, paused: 5 }

let it: TestInstallation
let check: string
let killed = false
/** How many attempts of each channel were not recorded at the kill: they are repeated. */
const unrecorded = { acme: 0, slow: 0 }
const failedOnce = new Set<string>()
const partners = new Map<string, Receiver>()
const receivedBy = (channel: string) => partners.get(channel)?.received ?? []

/** Responds to so many requests before the kill, and to all after it. Others are in flight at the kill. */
async function startPartner(channel: string, beforeKill: number, statusOf = (_delivery: string) => 204) {
  const respond = ({ headers }: { headers: Record<string, unknown> }, response: ServerResponse) =>
    void response.writeHead(statusOf(String(headers["x-sitewire-delivery"]))).end()
  const partner = await startReceiver((request, response, before) => {
    if (killed || before < beforeKill) respond(request, response)
  })
  partners.set(channel, partner)
  await it.channel(channel, partner.url)
}

beforeAll(async () => {
  it = await startInstallation()
  // Every third delivery fails at first, so that there are scheduled retries at the kill.
  await startPartner("acme", 150, (delivery) => {
    const fails = Number.parseInt(delivery.slice(-1), 16) % 3 === 0 && !failedOnce.has(delivery)
    failedOnce.add(delivery)
    return fails ? 500 : 204
  })
  await startPartner("slow", 20)
  await startPartner("paused", 0)
  await startPartner("cancelled", 1, () => (killed ? 204 : 500))
  await startPartner("tested", 0)
  // slow's deliveries are deferred before they are sent, so that claims are in flight at the kill.
  await it.pause("slow")
  await it.pause("paused")

  const first = await it.process(settings)
  check = await requestCheck(it.sql, { channel: "tested" })
  await it.publishPaid([paid("cancelled", { channel: "cancelled" })])
  await waitUntil("the retry to cancel", () => receivedBy("cancelled").length === 2)
  expect(await it.cancel("cancelled")).toBe(true)
  for (const [channel, length] of Object.entries(counts))
    await it.publishPaid(Array.from({ length }, (_, at) => paid(`${channel}-${at}`, { channel })))
  await waitUntil("attempts in flight", () => receivedBy("acme").length >= 150 + concurrency)
  await waitUntil(
    "slow's deferrals",
    async () => (await it.count("channel_id = 'slow' and deferred_at is not null")) === counts.slow,
  )
  await it.resume("slow")
  await waitUntil("claims", async () => {
    return (await it.count("channel_id = 'slow' and lease_expires_at is not null")) > 0
  })
  await waitUntil("deferrals", async () => {
    return (await it.count("channel_id = 'paused' and deferred_reason = 'paused'")) === counts.paused
  })
  await waitUntil("the test", () => receivedBy("tested").length === 1)
  await first.end("SIGKILL")
  killed = true
  for (const channel of ["acme", "slow"] as const) {
    const recorded = await it.sql(
      "select from attempt join delivery on delivery.id = delivery_id where channel_id = $1",
      [channel],
    )
    unrecorded[channel] = receivedBy(channel).length - recorded.length
  }
  expect(await it.count("state = 'delivered' and channel_id = 'acme'")).toBeLessThan(counts.acme)
  expect(await it.count("state = 'delivered' and channel_id = 'slow'")).toBeLessThan(counts.slow)
  expect(await readCheck(it.sql, check)).toMatchObject({ state: "running", claims: 1 })

  // As if the leases had ended.
  await it.sql("update waiting_delivery set lease_expires_at = now() where lease_expires_at is not null")
  await it.sql("update receiver_check set lease_expires_at = now()")
  await it.dispatcher(settings)
  await it.resume("paused")
})
afterAll(async () => {
  await Promise.all([...partners.values()].map((partner) => partner.close()))
  await it[Symbol.asyncDispose]()
})

const allDelivered = (channel: keyof typeof counts) =>
  waitUntil(`all deliveries to ${channel}`, async () => {
    const delivered = await it.count(`state = 'delivered' and channel_id = '${channel}'`)
    return delivered === counts[channel]
  })

test("after kill -9 in the middle of deliveries, none is lost, and each has one sequence of retries", async () => {
  await allDelivered("acme")
  const received = receivedBy("acme")
  expect(new Set(received.map(({ body }) => body.toString())).size).toBe(counts.acme)
  for (const { headers, body } of received) {
    const signature = createHmac("sha256", secret).update(body).digest("hex")
    expect(headers["x-sitewire-signature"]).toBe(`sha256=${signature}`)
  }
  const repeated = await it.sql(
    `select from attempt join delivery on delivery.id = delivery_id where channel_id = 'acme'
      group by delivery_id, number having count(*) > 1`,
  )
  // A request that was sent just before the kill may have arrived after the count.
  expect(repeated.length).toBeLessThanOrEqual(unrecorded.acme + concurrency)
})

test("after kill -9 deferred deliveries are claimed by another dispatcher, and none is lost", async () => {
  await allDelivered("slow")
  expect(await it.count("channel_id = 'slow' and deferred_at is not null")).toBe(0)
  const { length } = receivedBy("slow")
  expect(length).toBeGreaterThanOrEqual(counts.slow)
  expect(length).toBeLessThanOrEqual(counts.slow + unrecorded.slow + concurrency)
})

test("after kill -9 deliveries that a pause deferred are sent once, after the resume", async () => {
  await allDelivered("paused")
  expect(receivedBy("paused").map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(
    Array.from({ length: counts.paused }, () => "1"),
  )
})

test("a delivery that was cancelled during a retry, in which the dispatcher was killed, is not sent again", async () => {
  // Its record was not committed, so it was consumed again before these.
  await it.publishPaid(Array.from({ length: 4 }, (_, at) => paid(`after-${at}`, { channel: "cancelled" })))
  await waitUntil("others", async () => {
    return (await it.count("channel_id = 'cancelled' and state = 'delivered'")) === 4
  })
  expect(receivedBy("cancelled").filter(({ body }) => body.includes("//cancelled.")).length).toBe(2)
  expect(
    await it.sql(`select state, attempts, next_attempt_at from ${deliveryRows} where event_id = 'cancelled'`),
  ).toEqual([{ state: "cancelled", attempts: 1, next_attempt_at: null }])
})

test("if a dispatcher is killed during a test, another one repeats it", async () => {
  expect(await waitForCheck(it.sql, check)).toMatchObject({ state: "done", claims: 2 })
})
