import { createHash } from "node:crypto"
import { deferralReasonSchema, resendsPerHour } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readRows } from "../../../test/fixtures/readRows.ts"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"
import { attemptsOf } from "../../deliveries/deliveryResponse.ts"

const email = "owner@shop.example"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  // A delivery of a deleted channel cannot be resent.
  await console.prisma.channel.create({ data: { id: "acme", ...anyChannel } })
})
afterAll(() => console.close())

/** Ids like the dispatcher's: UUIDs of version 7, in increasing order. */
const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, "0")}`

async function insert(n: number, columns: object, waiting?: object) {
  const body = Buffer.from(JSON.stringify({ event: "site.ready", email }))
  await console.prisma.delivery.create({
    data: {
      id: idOf(n),
      event_id: `event-${n}`,
      channel_id: "acme",
      body: new Uint8Array(body),
      body_sha256: new Uint8Array(createHash("sha256").update(body).digest()),
      correlation: `correlation-${n}`,
      ...columns,
    },
  })
  if (waiting)
    await console.prisma.waitingDelivery.create({
      data: { delivery_id: idOf(n), channel_id: "acme", attempts: 0, ...waiting },
    })
  return idOf(n)
}

const anyChannel = { address: "https://shop.example", secret_id: "sec_x", secret_sealed: new Uint8Array() }
const attempt = { started_at: new Date(0), duration_ms: 12.5, secret_id: "sec_x" }

test("deliveries are listed newest first, by channel and state, and without personal data", async () => {
  await insert(1, { channel_id: "one", state: "dead" })
  await insert(2, { channel_id: "one", state: "delivered" })
  await insert(3, { channel_id: "two", state: "dead" })
  await insert(4, { channel_id: "one", state: "dead" })
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
  // A channel without deliveries, and one that does not exist.
  await console.prisma.channel.create({ data: { id: "none", ...anyChannel } })
  expect(await list("channel=none")).toEqual([])
  const misspelt = await console.call("GET", "/v1/deliveries?channel=nope")
  expect(misspelt).toMatchObject({ status: 404, json: { detail: expect.stringContaining('"nope"') } })
})

test("a list has reference and site, masked, and not for a publisher or of what has none", async () => {
  const bodyOf = (fields: object) => new Uint8Array(Buffer.from(JSON.stringify(fields)))
  const site_url = "https://shop.example"
  await insert(5, { channel_id: "about", body: bodyOf({ reference: email, site_url, email }) })
  await insert(6, { channel_id: "about", body: bodyOf({ event: "channel.failing" }) })
  await insert(7, { channel_id: "about", body: new Uint8Array(), state: "erased" })
  await console.pool.sql(
    "insert into known_event (event_id, delivery_id) select event_id, id from delivery where channel_id = 'about'",
  )
  const list = async (query: string, key?: string) => {
    const { json } = await console.call("GET", `/v1/deliveries?${query}`, key ? { key } : {})
    return json.data as object[]
  }
  const masked = { reference: expect.stringMatching(/^o\*\*\*@shop\.example$/), site_url }
  const none = { reference: null, site_url: null }
  expect(await list("channel=about")).toMatchObject([none, none, masked])
  const publisher = await console.keyWith("publisher")
  expect(await list("event_id=event-5", publisher)).toMatchObject([{ event_id: "event-5", ...none }])
  // It must not learn whether a guess is right.
  for (const guess of [`reference=${encodeURIComponent(email)}`, `site_url=${site_url}`]) {
    const path = `/v1/deliveries?event_id=event-5&${guess}`
    expect(await console.call("GET", path, { key: publisher })).toMatchObject({ status: 400 })
  }
})

test("a delivery is read with its attempts in order", async () => {
  const id = await insert(10, { state: "delivered", attempts: 2 })
  await console.prisma.attempt.createMany({
    data: [
      {
        ...attempt,
        delivery_id: id,
        number: 2,
        error: "tls",
        detail: "the certificate has expired",
        ip: "192.0.2.1",
        connect_ms: 1.5,
        first_byte_ms: 9,
      },
      {
        ...attempt,
        delivery_id: id,
        number: 1,
        status: 500,
        error: "status",
        response_excerpt: new Uint8Array([0x6f, 0x68, 0xff]),
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

test("a delivery contains its newest attempts, and the others are read in pages", async () => {
  const id = await insert(11, { state: "delivered", attempts: 1_049 })
  await console.pool.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, secret_id, response_excerpt)
     select $1, n / 2, to_timestamp(n), 1, 'sec_x', convert_to(repeat('a', 1024), 'UTF8') from generate_series(1, 1049) n`,
    [id],
  )
  const read = (await console.call("GET", `/v1/deliveries/${id}`)).json
  const numbersOf = (attempts: unknown) => (attempts as { number: number }[]).map(({ number }) => number)
  // Two attempts can have one number.
  const all = Array.from({ length: 1_049 }, (_, n) => Math.floor((n + 1) / 2))
  expect(numbersOf(read.attempt_log)).toEqual(all.slice(-20))
  const earlier: number[] = []
  for (let cursor = read.attempt_log_cursor; cursor !== null; ) {
    const page = await console.call("GET", `/v1/deliveries/${id}/attempts?limit=100&cursor=${cursor}`)
    earlier.push(...numbersOf(page.json.data))
    cursor = page.json.next_cursor
  }
  expect(earlier).toEqual(all.slice(0, -20).toReversed())
  const { json } = await console.call("GET", `/v1/deliveries/${id}/attempts`)
  expect(json.data).toEqual((read.attempt_log as unknown[]).toReversed())
  const other = await console.keyWith("channel:other")
  expect((await console.call("GET", `/v1/deliveries/${id}/attempts`, { key: other })).status).toBe(404)
})

test("a page of attempts reads no others", async () => {
  const id = await insert(12, {})
  const pool = openPool({ url: console.databaseUrl, size: 1, name: "test" })
  const { key, read } = attemptsOf(pool.sql, id)
  await pool.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, secret_id)
     select $1, n, to_timestamp(n), 1, 'sec_x' from generate_series(1, 5000) n`,
    [id],
  )
  await pool.sql("analyze attempt")
  const before = await readRows(pool.sql, "attempt")
  expect(await read(key.parse([2_500, new Date(2_500_000).toISOString()]), 21)).toHaveLength(21)
  expect((await readRows(pool.sql, "attempt")) - before).toBeLessThan(100)
  await pool.close()
})

test("a delivery shows when its next retry is due, or why and since when it is deferred", async () => {
  const at = new Date("2030-01-02T03:04:05.678Z")
  const read = async (n: number, columns: object, waiting?: object) => {
    const { json } = await console.call("GET", `/v1/deliveries/${await insert(n, columns, waiting)}`)
    const { next_attempt_at, deferred_at, waiting_for } = json
    return [next_attempt_at, deferred_at, waiting_for]
  }
  const retry = [at.toISOString(), null, "retry"]
  expect(await read(16, { attempts: 1 }, { next_attempt_at: at, attempts: 1 })).toEqual(retry)
  expect(await read(17, { state: "dead", attempts: 1 })).toEqual([null, null, null])
  for (const [more, deferred_reason] of deferralReasonSchema.options.entries()) {
    const deferral = { deferred_at: at, deferred_reason }
    expect(await read(110 + more, {}, deferral)).toEqual([null, at.toISOString(), deferred_reason])
  }
})

const readRow = async (id: string) => ({
  ...(await console.prisma.delivery.findUniqueOrThrow({ where: { id } })),
  waiting: await console.prisma.waitingDelivery.findUnique({ where: { delivery_id: id } }),
})

/** What a delivery waits for after a resend, in a new retry period. */
const resendOf = (delivery_id: string, attempts: number) => ({
  ...{ delivery_id, channel_id: "acme", attempts, next_attempt_at: null, lease_expires_at: null },
  ...{ deferred_at: expect.any(Date), deferred_reason: "resend", failures: 0, period_started_at: null },
  unreachable_ms: null,
})

test("a resend defers a dead delivery with a new retry period, and records who requested it and why, before the 202", async () => {
  const id = await insert(20, { state: "dead", attempts: 7, finished_at: new Date(0) })
  const before = await readRow(id)
  const resent = await console.call("POST", `/v1/deliveries/${id}/resend`, { body: { reason: "ticket 17" } })
  expect(resent.status).toBe(202)
  expect(resent.json).toEqual({ delivery: id, job: expect.stringMatching(/^job_/) })
  const job = await console.call("GET", `/v1/jobs/${resent.json.job}`)
  expect(job.json).toMatchObject({
    kind: "resend",
    state: "done",
    filter: { delivery: id },
    reason: "ticket 17",
    requested_by: expect.stringMatching(/^key_\w+ \(test\)$/),
    counts: { resent: 1 },
    finished_at: expect.any(String),
  })
  expect(await readRow(id)).toEqual({
    ...before,
    state: "pending",
    finished_at: null,
    state_error: "pending:",
    last_job: resent.json.job,
    waiting: resendOf(id, 7),
  })
  const last = { id: resent.json.job, kind: "resend", requested_at: job.json.created_at }
  const { last_job } = (await console.call("GET", `/v1/deliveries/${id}`)).json
  expect(last_job).toEqual({ ...last, requested_by: job.json.requested_by })
  const partner = await console.keyWith("channel:acme")
  const theirs = (await console.call("GET", `/v1/deliveries/${id}`, { key: partner })).json
  expect(theirs.last_job).toEqual({ ...last, requested_by: null })
})

test("a resend of a delivered delivery leaves it delivered; a resend of a scheduled or cancelled delivery makes an attempt due", async () => {
  const delivered = await insert(21, { state: "delivered", attempts: 1, finished_at: new Date(0) })
  const before = await readRow(delivered)
  const { status, json } = await console.call("POST", `/v1/deliveries/${delivered}/resend`)
  expect(status).toBe(202)
  expect(await readRow(delivered)).toEqual({ ...before, last_job: json.job, waiting: resendOf(delivered, 1) })

  const retry = { attempts: 3, failures: 3, period_started_at: new Date(0), next_attempt_at: new Date() }
  const scheduled = await insert(22, { attempts: 3 }, retry)
  expect((await console.call("POST", `/v1/deliveries/${scheduled}/resend`)).status).toBe(202)
  expect(await readRow(scheduled)).toMatchObject({ state: "pending", waiting: resendOf(scheduled, 3) })

  const cancelled = await insert(26, { state: "cancelled", finished_at: new Date(0) })
  expect((await console.call("POST", `/v1/deliveries/${cancelled}/resend`)).status).toBe(202)
  expect(await readRow(cancelled)).toMatchObject({
    ...{ state: "pending", finished_at: null, waiting: resendOf(cancelled, 0) },
  })
})

test("a resend during an attempt leaves the lease unchanged, and the attempt's outcome cannot end the resend", async () => {
  const lease_expires_at = new Date(Date.now() + 60_000)
  // In the future, as if Postgres's clock had been set back since the deferral.
  const claimed = new Date(Date.now() + 5_000)
  const id = await insert(23, {}, { deferred_at: claimed, deferred_reason: "busy", lease_expires_at })
  const resend = async () => {
    expect((await console.call("POST", `/v1/deliveries/${id}/resend`)).status).toBe(202)
    const { waiting } = await readRow(id)
    expect(waiting).toEqual({ ...resendOf(id, 0), lease_expires_at })
    return waiting?.deferred_at?.getTime() ?? 0
  }
  const first = await resend()
  expect(first).toBeGreaterThan(claimed.getTime())
  expect(await resend()).toBeGreaterThan(first)
})

test("a delivery is resent so often in an hour at most, and then the response says when it may be again", async () => {
  const id = await insert(27, { state: "dead" })
  const key = await console.keyWith("channel:acme")
  const resend = (of = id) => console.call("POST", `/v1/deliveries/${of}/resend`, { key })
  const statuses = await Promise.all(
    Array.from({ length: resendsPerHour + 5 }, async () => (await resend()).status),
  )
  expect(statuses.filter((status) => status === 202)).toHaveLength(resendsPerHour)
  const rejected = await resend()
  expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-resends" } })
  const seconds = Number(rejected.headers.get("retry-after"))
  expect(seconds).toBeGreaterThan(3_000)
  expect(seconds).toBeLessThanOrEqual(3_600)
  expect(rejected.json.detail).toContain(`Try again in ${seconds} seconds`.replace("Try", "try"))
  expect((await resend(await insert(28, { state: "dead" }))).status).toBe(202)
  await console.pool.sql(
    "update job set created_at = created_at - interval '1 hour' where delivery_id = $1",
    [id],
  )
  expect((await resend()).status).toBe(202)
})

test("a resend of an unknown delivery is a 404, of an erased one a 409, and neither records a job", async () => {
  const before = await console.prisma.job.count()
  expect((await console.call("POST", `/v1/deliveries/${idOf(98)}/resend`)).status).toBe(404)
  const erased = await insert(24, { state: "erased", body: new Uint8Array() })
  expect((await console.call("POST", `/v1/deliveries/${erased}/resend`)).status).toBe(409)
  expect(await readRow(erased)).toMatchObject({ state: "erased", waiting: null })
  expect(await console.prisma.job.count()).toBe(before)
})

test("a resend waits for an erasure in progress, and then responds 409", async () => {
  const id = await insert(25, { state: "dead" })
  const erasing = await console.pool.driver.connect()
  await erasing.query("begin")
  await erasing.query("update delivery set state = 'erased', body = '' where id = $1", [id])
  const resend = console.call("POST", `/v1/deliveries/${id}/resend`)
  await waitUntil("the resend to wait for the erasure", async () => {
    const waiting =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    return (await console.pool.sql(waiting)).length > 0
  })
  await erasing.query("commit")
  erasing.release()
  expect((await resend).status).toBe(409)
  expect(await readRow(id)).toMatchObject({ state: "erased", waiting: null })
})
