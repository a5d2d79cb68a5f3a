import { createHmac } from "node:crypto"
import { startReceiver } from "@sitewire/receiver"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, refusal, secret, startInstallation } from "./fixtures/testDispatcher.ts"

const nonEmpty = <T>(list: T[]) => (list.length > 0 ? list : undefined)
const expectedSignature = (body: Buffer) =>
  `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`

test("a site.paid reaches the partner as site.ready: the eight fields in order, signed over the raw bytes", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", `${partner.url}/ready`)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  const [request] = await waitUntil("the delivery", () => nonEmpty(partner.received))
  expect(request?.method).toBe("POST")
  expect(request?.path).toBe("/ready")
  expect(request?.body.toString()).toBe(
    '{"event":"site.ready","channel":"acme","reference":"customer-17","site_url":"https://shop-1.example",' +
      '"console_url":"https://console.shop-1.example","name":"Ünïcode & Söhne 店","email":"owner@shop.example",' +
      '"created_at":"2030-01-02T01:04:05+00:00"}',
  )
  expect(request?.headers).toMatchObject({
    "content-type": "application/json",
    "x-sitewire-signature": expectedSignature(request?.body ?? Buffer.alloc(0)),
    "x-sitewire-attempt": "1",
    "user-agent": "Sitewire/1",
  })
  const [row] = await waitUntil("the record", async () => {
    return nonEmpty(await it.sql("select * from delivery where state = 'delivered'"))
  })
  expect(row).toMatchObject({ event_id: "shop-1", attempts: 1, id: request?.headers["x-sitewire-delivery"] })
  const attempts = await it.sql("select number, status, error, ip from attempt")
  expect(attempts).toEqual([{ number: 1, status: 204, error: null, ip: "127.0.0.1" }])
  expect(dispatcher.output()).not.toContain("owner@shop.example")
  expect(dispatcher.output()).not.toContain(secret)
  await partner.close()
})

test("a due attempt whose number no row can hold is dropped, and neither made nor consumed again and again", async () => {
  await using it = await startInstallation({ retryDelaysMs: [100] })
  let fails = true
  const partner = await startReceiver((_, response) => response.writeHead(fails ? 500 : 204).end())
  await it.channel("acme", partner.url)
  await it.publishPaid([paid("shop-1")])
  const first = await it.dispatcher()
  await waitUntil("a failed attempt", () => partner.received.length > 0)
  expect(await first.end("SIGTERM")).toBe(0)
  const [row] = await it.sql<{ id: string; attempts: number }>("select id, attempts from delivery")
  const key = row?.id ?? ""
  const due = { delivery: key, failures: 1, since: new Date().toISOString(), correlation: "c" }
  const schedule = (attempt: number) =>
    it.publish([{ topic: it.names.retry[0] ?? "", key, value: JSON.stringify({ ...due, attempt }) }])
  await schedule(2 ** 31)
  await schedule((row?.attempts ?? 0) + 1)
  fails = false
  const dispatcher = await it.dispatcher()
  await waitUntil(
    "the record behind it",
    async () => (await it.sql("select from delivery where state = 'delivered'")).length === 1,
  )
  expect(dispatcher.output()).toContain("a due attempt cannot be read; dropped")
  expect(dispatcher.output()).not.toContain("fatal")
  await partner.close()
})

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
  expect(partner.received.map((request) => request.headers["x-sitewire-attempt"])).toEqual([
    "1",
    "2",
    "3",
    "4",
  ])
  const gaps = others.map((request, at) => request.at - (partner.received[at]?.at ?? 0))
  for (const [at, wait] of [300, 600, 600].entries()) expect(gaps[at]).toBeGreaterThanOrEqual(wait)
  const rows = await waitUntil("the end", async () => {
    const found = await it.sql(
      "select state, attempts, next_attempt_at from delivery where state = 'delivered'",
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
  await using it = await startInstallation({ retryDelaysMs: [200] })
  const partner = await startReceiver((_, response) => response.writeHead(503).end())
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  await it.dispatcher({ RETRY_PERIOD: "700ms" })
  await it.publishPaid([paid("shop-1")])
  const [letter] = await waitUntil("the dead letter", () => nonEmpty(letters))
  expect(JSON.parse(String(letter?.value))).toMatchObject({
    channel: "acme",
    last_error: "status",
    last_status: 503,
  })
  expect(String(letter?.value)).not.toContain("owner@shop.example")
  await waitUntil(
    "the state",
    async () => (await it.sql("select 1 from delivery where state = 'dead'")).length === 1,
  )
  expect(partner.received.length).toBeGreaterThanOrEqual(2)
  await partner.close()
})

test("a resend goes out at once as the next attempt, and a delivered delivery stays delivered", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil(
    "delivered",
    async () => (await it.sql("select 1 from delivery where attempts = 1")).length === 1,
  )
  const [row] = await it.sql<{ id: string }>("select id from delivery")
  await it.resend(row?.id ?? "")
  await waitUntil("the resend", () => partner.received.length === 2)
  expect(partner.received[1]?.body.equals(partner.received[0]?.body ?? Buffer.alloc(0))).toBe(true)
  expect(partner.received[1]?.headers["x-sitewire-attempt"]).toBe("2")
  const [after] = await waitUntil("its record", async () =>
    nonEmpty(await it.sql("select state, attempts, deferred_at from delivery where attempts = 2")),
  )
  expect(after).toEqual({ state: "delivered", attempts: 2, deferred_at: null })
  await partner.close()
})

test("a dead delivery that is sent again begins a new retry period, and arrives with the bytes that it had", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200, 1_500] })
  let well = false
  const partner = await startReceiver((_, response) => response.writeHead(well ? 200 : 503).end())
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  await it.dispatcher({ RETRY_PERIOD: "1s" })
  await it.publishPaid([paid("shop-1")])
  const [letter] = await waitUntil("the dead letter", () => nonEmpty(letters))
  const { delivery, attempts } = JSON.parse(String(letter?.value)) as { delivery: string; attempts: number }
  const state = async (wanted: string) =>
    (await it.sql("select 1 from delivery where state = $1::delivery_state", [wanted])).length === 1
  await waitUntil("the state", () => state("dead"))

  await it.resend(delivery)
  await waitUntil("the resend", () => partner.received.length === attempts + 1)
  well = true
  const retry = await waitUntil("its retry", () => partner.received[attempts + 1])
  const resent = partner.received[attempts]
  // After the first delay, and not where the dead chain had got to.
  expect(retry.at - (resent?.at ?? 0)).toBeGreaterThanOrEqual(200)
  expect(retry.at - (resent?.at ?? 0)).toBeLessThan(1_500)
  expect(new Set(partner.received.map(({ body }) => body.toString())).size).toBe(1)
  expect(new Set(partner.received.map(({ headers }) => headers["x-sitewire-delivery"]))).toEqual(
    new Set([delivery]),
  )
  await waitUntil("the state", () => state("delivered"))
  await partner.close()
})

test("a second copy of a dead delivery's record is dropped, whatever its channel can accept by then", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  let well = false
  const partner = await startReceiver((_, response) => response.writeHead(well ? 200 : 503).end())
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher({ RETRY_PERIOD: "100ms" })
  await it.publishPaid([paid("shop-1")])
  const [row] = await waitUntil("the end", async () =>
    nonEmpty(
      await it.sql<{ id: string; attempts: number }>(
        "select id, attempts from delivery where state = 'dead'",
      ),
    ),
  )
  const { id, attempts } = row ?? { id: "", attempts: 0 }
  well = true
  const copy = {
    delivery: id,
    attempt: attempts + 1,
    failures: attempts,
    since: new Date().toISOString(),
    correlation: "c",
  }
  await it.publish([{ topic: it.names.retry[0] ?? "", key: id, value: JSON.stringify(copy) }])
  await waitUntil("it to be dropped", () => dispatcher.output().includes("the delivery is dead"))
  expect(partner.received).toHaveLength(attempts)
  await partner.close()
})

test("what is malformed or names an unknown channel is put aside with reason and origin, and the next is delivered", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  const invalid = await it.read(it.names.sitePaidInvalid)
  const dispatcher = await it.dispatcher()
  const bad = [
    "not json owner@shop.example",
    JSON.stringify({ ...paid("bad-1"), email: "nobody" }),
    JSON.stringify({ ...paid("bad-2"), channel: "unknown" }),
    JSON.stringify({ ...paid("bad\u0000id") }),
  ]
  const published = await it.read(it.names.sitePaid)
  await it.publish(bad.map((value) => ({ topic: it.names.sitePaid, key: "same", value })))
  const [place] = await waitUntil("what was published", () => nonEmpty(published))
  await it.publish([{ topic: it.names.sitePaid, key: "same", value: JSON.stringify(paid("good")) }])
  await waitUntil("the good one", () => partner.received.length === 1)
  await waitUntil("the bad ones", () => invalid.length === bad.length)
  const reasons = invalid.map(refusal)
  expect(reasons).toContain("not JSON")
  expect(reasons).toContain("unknown channel")
  expect(reasons.some((reason) => reason?.startsWith("email "))).toBe(true)
  expect(invalid.map(({ value }) => String(value)).toSorted()).toEqual(bad.toSorted())
  const origins = invalid.map(({ headers }) => ({
    topic: headers["sitewire-topic"],
    partition: headers["sitewire-partition"],
    offset: Number(headers["sitewire-offset"]),
  }))
  expect(origins.toSorted((a, b) => a.offset - b.offset)).toEqual(
    bad.map((_, offset) => ({ topic: it.names.sitePaid, partition: String(place?.partition), offset })),
  )
  expect(dispatcher.output()).not.toContain("owner@shop.example")
  await partner.close()
})

test("an event that is published twice is delivered once", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-1"), paid("shop-2")])
  await waitUntil("both", () => partner.received.length === 2)
  await it.publishPaid([paid("shop-1"), paid("shop-3")])
  await waitUntil("the third", () => partner.received.some(({ body }) => body.includes("shop-3")))
  expect(partner.received).toHaveLength(3)
  await partner.close()
})

test("a corrected address takes effect on what already waits", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_000] })
  const [wrong, right] = await Promise.all([
    startReceiver((_, response) => response.writeHead(404).end()),
    startReceiver(),
  ])
  await it.channel("acme", wrong.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the failed attempt", () => wrong.received.length === 1)
  await it.sql("update channel set address = $1", [right.url])
  await waitUntil("the retry at the new address", () => right.received.length === 1)
  expect(wrong.received).toHaveLength(1)
  await Promise.all([wrong.close(), right.close()])
})

test("a private address is refused and recorded, not called", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher({ ALLOWED_RANGES: "" })
  await it.publishPaid([paid("shop-1")])
  const rows = await waitUntil("the record", async () => {
    return nonEmpty(await it.sql("select error, status from attempt"))
  })
  expect(rows[0]).toEqual({ error: "blocked-address", status: null })
  expect(partner.received).toHaveLength(0)
  await partner.close()
})

test("a partner that hangs does not hold up another", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_000] })
  const hangs = await startReceiver(() => {})
  const answers = await startReceiver()
  await it.channel("acme", answers.url)
  await it.channel("hangs", hangs.url)
  await it.dispatcher({
    MAX_OUTSTANDING_RECORDS: "64",
    CHANNEL_MAX_IN_FLIGHT: "4",
    CHANNEL_MAX_WAIT: "100ms",
    DELIVERY_TIMEOUT: "5s",
  })
  await it.publishPaid(Array.from({ length: 300 }, (_, at) => paid(`hang-${at}`, { channel: "hangs" })))
  await waitUntil("the hanging ones to fill their bound", () => hangs.received.length === 4)
  const startedAt = Date.now()
  await it.publishPaid(Array.from({ length: 50 }, (_, at) => paid(`fine-${at}`)))
  await waitUntil("all others", () => answers.received.length === 50)
  expect(Date.now() - startedAt).toBeLessThan(4_000)
  expect(hangs.received).toHaveLength(4)
  await Promise.all([hangs.close(), answers.close()])
})

test("after kill -9 in the middle of deliveries nothing is lost and no chain forks", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300, 600] })
  const failedOnce = new Set<string>()
  const partner = await startReceiver(({ headers }, response) => {
    const id = String(headers["x-sitewire-delivery"])
    // Every third delivery fails at first, so that retries are under way when the process dies.
    const fails = Number.parseInt(id.slice(-1), 16) % 3 === 0 && !failedOnce.has(id)
    failedOnce.add(id)
    setTimeout(() => response.writeHead(fails ? 500 : 200).end(), 20)
  })
  await it.channel("acme", partner.url)
  const events = Array.from({ length: 400 }, (_, at) => paid(`shop-${at}`))
  const first = await it.dispatcher()
  await it.publishPaid(events)
  await waitUntil("a part of them", () => partner.received.length > 100)
  await first.end("SIGKILL")
  const atKill = partner.received.length
  expect(atKill).toBeLessThan(400)
  await it.dispatcher()
  await waitUntil(
    "all",
    async () => (await it.sql("select 1 from delivery where state = 'delivered'")).length === 400,
    40_000,
  )
  const bodies = new Set(partner.received.map(({ body }) => body.toString()))
  expect(bodies.size).toBe(400)
  for (const { headers, body } of partner.received)
    expect(headers["x-sitewire-signature"]).toBe(expectedSignature(body))
  const [{ doubles } = { doubles: 0 }] = await it.sql<{ doubles: number }>(
    "select count(*)::int as doubles from (select 1 from attempt group by delivery_id, number having count(*) > 1) d",
  )
  // Only what was in flight at the kill, at most the channel's limit, and what had just ended and was not recorded yet, can have
  // been attempted twice.
  expect(doubles).toBeLessThanOrEqual(2 * 32)
  await partner.close()
}, 60_000)

test("SIGTERM finishes what is under way and leaves nothing undone", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver((_, response) => {
    setTimeout(() => response.writeHead(200).end(), 300)
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("both under way", () => partner.received.length === 2)
  expect(await dispatcher.end("SIGTERM")).toBe(0)
  expect(await it.sql("select state from delivery")).toEqual([{ state: "delivered" }, { state: "delivered" }])
  await it.dispatcher()
  await it.publishPaid([paid("shop-3")])
  await waitUntil("the third", () => partner.received.length === 3)
  await partner.close()
})
