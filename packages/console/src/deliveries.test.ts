import { createHash } from "node:crypto"
import { deliveryDueSchema } from "@sitewire/contracts"
import { connectKafka, type Incoming, startConsumer } from "@sitewire/kafka"
import { createLogger } from "@sitewire/runtime"
import { freshTopics, silentLog, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { severableProxy } from "./fixtures/severableProxy.ts"
import { startConsole, type TestConsole } from "./fixtures/startConsole.ts"
import { type Publisher, startPublisher } from "./publisher.ts"

const email = "owner@shop.example"
const quiet = createLogger({ service: "console", level: "silent" })

let console: TestConsole
let topics: Awaited<ReturnType<typeof freshTopics>>
let publisher: Publisher
let reachable = false

beforeAll(async () => {
  topics = await freshTopics()
  publisher = startPublisher({
    kafka: topics.kafka,
    log: quiet,
    onState: (state) => {
      reachable = state
    },
  })
  console = await startConsole({ publish: publisher.publish, resendTopic: topics.names.resend })
  await waitUntil("Kafka to be connected", () => reachable)
})
afterAll(async () => {
  await console.close()
  await publisher.close(5_000)
})

/** Ids as the dispatcher makes them: version 7, so that later ones are greater. */
const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, "0")}`

async function insert(n: number, columns: object = {}) {
  const body = Buffer.from(JSON.stringify({ event: "site.ready", email }))
  await console.prisma.delivery.create({
    data: {
      id: idOf(n),
      eventId: `event-${n}`,
      channelId: "acme",
      body: new Uint8Array(body),
      bodySha256: new Uint8Array(createHash("sha256").update(body).digest()),
      correlation: `correlation-${n}`,
      ...columns,
    },
  })
  return idOf(n)
}

const anyChannel = { address: "https://shop.example", secretId: "sec_x", secretSealed: new Uint8Array() }
const attempt = { startedAt: new Date(0), durationMs: 12.5, secretId: "sec_x" }

test("deliveries are listed newest first, by channel and state, and without what they hold of people", async () => {
  await insert(1, { channelId: "one", state: "dead" })
  await insert(2, { channelId: "one", state: "delivered" })
  await insert(3, { channelId: "two", state: "dead" })
  await insert(4, { channelId: "one", state: "dead" })
  const list = async (query: string) => {
    const { json, text } = await console.call("GET", `/v1/deliveries?${query}`)
    expect(text).not.toContain(email)
    return (json.data as { id: string }[]).map(({ id }) => Number(id.slice(-12)))
  }
  expect(await list("channel=one")).toEqual([4, 2, 1])
  expect(await list("state=dead")).toEqual([4, 3, 1])
  expect(await list("channel=one&state=dead")).toEqual([4, 1])
  const first = await console.call("GET", "/v1/deliveries?channel=one&state=dead&limit=1")
  expect(await list(`channel=one&state=dead&limit=1&cursor=${first.json.next_cursor}`)).toEqual([1])
  // Nothing is there yet, and nothing can ever be.
  await console.prisma.channel.create({ data: { id: "none", ...anyChannel } })
  expect(await list("channel=none")).toEqual([])
  const misspelt = await console.call("GET", "/v1/deliveries?channel=nope")
  expect(misspelt).toMatchObject({ status: 404, json: { detail: expect.stringContaining('"nope"') } })
})

test("a delivery is read with its attempts in order", async () => {
  const id = await insert(10, { state: "delivered", attempts: 2 })
  await console.prisma.attempt.createMany({
    data: [
      {
        ...attempt,
        deliveryId: id,
        number: 2,
        error: "tls",
        detail: "the certificate has expired",
        address: "192.0.2.1",
        connectMs: 1.5,
        firstByteMs: 9,
      },
      {
        ...attempt,
        deliveryId: id,
        number: 1,
        status: 500,
        error: "status",
        responseExcerpt: new Uint8Array([0x6f, 0x68, 0xff]),
      },
    ],
  })
  const read = await console.call("GET", `/v1/deliveries/${id}`)
  expect(read.status).toBe(200)
  expect(read.text).not.toContain(email)
  expect(read.json).toMatchObject({
    id,
    event_id: "event-10",
    channel: "acme",
    state: "delivered",
    attempts: 2,
    attempt_log: [
      { number: 1, status: 500, error: "status", detail: null, response_excerpt: "oh\ufffd" },
      {
        number: 2,
        status: null,
        error: "tls",
        detail: "the certificate has expired",
        response_excerpt: null,
      },
    ],
  })
  expect(read.json.attempt_log).toMatchObject([
    { duration_ms: 12.5, lookup_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null },
    { duration_ms: 12.5, lookup_ms: null, connect_ms: 1.5, tls_ms: null, first_byte_ms: 9 },
  ])
  expect((await console.call("GET", `/v1/deliveries/${idOf(99)}`)).status).toBe(404)
})

test("a resend puts the next attempt on the topic before it answers 202, and shows that it waits", async () => {
  const id = await insert(20, { state: "dead", attempts: 7 })
  const before = await console.prisma.delivery.findUnique({ where: { id } })
  const startedAt = Date.now()
  const body = { reason: "ticket 17" }
  const resent = await console.call("POST", `/v1/deliveries/${id}/resend`, { body })
  expect(resent.status).toBe(202)
  expect(resent.json).toEqual({ delivery: id, attempt: 8, job: expect.stringMatching(/^job_/) })
  const kept = await console.call("GET", `/v1/jobs/${resent.json.job}`)
  expect(kept.json).toMatchObject({
    kind: "resend",
    state: "done",
    filter: { delivery: id },
    reason: "ticket 17",
    requested_by: expect.stringMatching(/^key_\w+ \(test\)$/),
    counts: { resent: 1 },
  })
  const after = await console.prisma.delivery.findUnique({ where: { id } })
  expect(after).toEqual({ ...before, nextAttemptAt: expect.any(Date) })

  const record = (await readResends()).find(({ key }) => key === id)
  const due = deliveryDueSchema.parse(JSON.parse(String(record?.value)))
  expect(due).toMatchObject({ delivery: id, attempt: 8, failures: 0, correlation: "correlation-20" })
  expect(Date.parse(due.since)).toBeGreaterThanOrEqual(startedAt)
  expect(String(record?.value)).not.toContain(email)
})

test("a resend of nothing answers 404 and publishes nothing", async () => {
  expect((await console.call("POST", `/v1/deliveries/${idOf(98)}/resend`)).status).toBe(404)
  expect((await readResends()).filter(({ key }) => key === idOf(98))).toEqual([])
})

test("while Kafka is away everything but resends works; a resend answers 503, and 202 once it is back", async () => {
  const [host = "", port = ""] = (topics.kafka.brokers[0] ?? "").split(":")
  const proxy = await severableProxy({ host, port: Number(port) }, { severed: true })
  const states: boolean[] = []
  const later = startPublisher({
    kafka: connectKafka({ brokers: [`127.0.0.1:${proxy.port}`], clientId: "console", log: silentLog }),
    log: quiet,
    onState: (state) => states.push(state),
  })
  const other = await startConsole({ publish: later.publish, resendTopic: topics.names.resend })
  await other.prisma.delivery.create({
    data: {
      id: idOf(30),
      eventId: "event-30",
      channelId: "acme",
      body: new Uint8Array(),
      bodySha256: new Uint8Array(),
      correlation: "c",
    },
  })
  await waitUntil("the publisher to notice", () => states.includes(false))
  const refused = await other.call("POST", `/v1/deliveries/${idOf(30)}/resend`)
  expect(refused.status).toBe(503)
  expect(refused.headers.get("retry-after")).toBe("5")
  // It may be sent all the same, where Kafka took it and was not heard.
  const unconfirmed = (await other.call("GET", "/v1/jobs")).json.data
  expect(unconfirmed).toMatchObject([{ filter: { delivery: idOf(30) }, counts: { unconfirmed: 1 } }])
  expect(refused.json.detail).toMatch(/job "job_\w+" keeps/)
  expect((await other.call("GET", `/v1/deliveries/${idOf(30)}`)).status).toBe(200)

  proxy.restore()
  await waitUntil("the publisher to connect", () => states.at(-1) === true)
  expect((await other.call("POST", `/v1/deliveries/${idOf(30)}/resend`)).status).toBe(202)
  const kept = (await other.call("GET", "/v1/jobs")).json.data
  expect(kept).toMatchObject([
    { filter: { delivery: idOf(30) }, reason: "not given", counts: { resent: 1 } },
    { counts: { unconfirmed: 1 } },
  ])
  await other.close()
  await later.close(5_000)
  proxy.close()
})

let readers = 0

/** Everything on the resend topic. Twenty markers go behind it, enough to stand at the end of each partition. */
async function readResends(): Promise<Incoming[]> {
  readers += 1
  const markers = Array.from({ length: 20 }, (_, n) => `marker-${readers}-${n}`)
  for (const key of markers) await publisher.publish({ topic: topics.names.resend, key, value: null })
  const seen: Incoming[] = []
  const consumer = await startConsumer({
    kafka: topics.kafka,
    group: `${topics.prefix}reader-${readers}`,
    topics: [{ topic: topics.names.resend }],
    maxInHand: 1_000,
    take: (records, done) => {
      seen.push(...records)
      for (const record of records) done(record)
    },
  })
  await waitUntil("all markers", () => markers.every((marker) => seen.some(({ key }) => key === marker)))
  await consumer.close(5_000)
  return seen
}
