import { connect } from "node:net"
import {
  streamedChannelSchema,
  streamedDeliverySchema,
  streamedJobSchema,
  streamedSyncSchema,
} from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { readStream } from "../../test/fixtures/readStream.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { insertAttempt, insertDelivery, insertSync } from "../../test/fixtures/statistics.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  for (const id of ["acme", "other"]) {
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
    await console.call("POST", "/v1/connections", {
      body: { id, site: `${id}.example`, source: "https://source.example/" },
    })
  }
})
afterAll(() => console.close())

const sql = (text: string, values: unknown[] = []) => console.pool.sql(text, values)
async function open(query = "", { key = console.key } = {}) {
  const stream = await readStream(`${console.origin}/v1/stream?${query}`, key)
  onTestFinished(() => stream.close())
  expect(stream.status).toBe(200)
  await stream.next("heartbeat")
  return stream
}

/** The ids of the deliveries that a stream sent, each once. */
const deliveriesOf = ({ events }: Awaited<ReturnType<typeof open>>) => [
  ...new Set(events.filter(({ event }) => event === "delivery").map(({ data }) => data.id)),
]

test("a delivery is sent when it is created, attempted and finished", async () => {
  const stream = await open()
  expect(stream.headers.get("content-type")).toBe("text/event-stream")
  const id = await insertDelivery(console.pool.sql, { at: Date.now() })
  const created = await stream.next("delivery", (data) => data.id === id)
  expect(streamedDeliverySchema.parse(created.data)).toMatchObject({
    channel: "acme",
    state: "pending",
    reference: null,
    last_attempt: null,
  })
  await insertAttempt(console.pool.sql, id, { at: Date.now(), error: "reset" })
  await stream.next(
    "delivery",
    ({ last_attempt }) => (last_attempt as { error?: string } | null)?.error === "reset",
  )
  const body = JSON.stringify({ reference: "order of owner@shop.example" })
  await sql(
    "update delivery set state = 'delivered', attempts = 2, finished_at = now(), body = convert_to($2, 'UTF8') where id = $1",
    [id, body],
  )
  const finished = await stream.next("delivery", ({ state }) => state === "delivered")
  expect(finished.data).toMatchObject({ id, attempts: 2, reference: "order of o***@shop.example" })
})

test("an old delivery is sent when somebody cancels or resends it", async () => {
  const old = await insertDelivery(console.pool.sql, { at: Date.now() - 3_600_000 })
  const stream = await open()
  const of = (state: string, reason: string | null) => (data: Record<string, unknown>) =>
    data.id === old && data.state === state && data.deferred_reason === reason
  expect((await console.call("POST", `/v1/deliveries/${old}/cancel`)).status).toBe(200)
  await stream.next("delivery", of("cancelled", null))
  expect((await console.call("POST", `/v1/deliveries/${old}/resend`)).status).toBe(202)
  await stream.next("delivery", of("pending", "resend"))
})

test("a retry of an old delivery is sent, and so are syncs and paused channels", async () => {
  const old = await insertDelivery(console.pool.sql, { at: Date.now() - 3_600_000 })
  const stream = await open()
  await insertAttempt(console.pool.sql, old, { at: Date.now() - 5_000 })
  await stream.next("delivery", (data) => data.id === old)
  await sql(
    `insert into sync_window (connection_id, fence, running, run_started_at, run_triggers)
     values ('acme', 1, true, now(), 1) on conflict (connection_id) do update
        set fence = 1, running = true, run_started_at = now(), run_triggers = 1`,
  )
  const begun = await stream.next("sync")
  expect(streamedSyncSchema.parse(begun.data)).toMatchObject({
    connection: "acme",
    site: "acme.example",
    outcome: "running",
  })
  await sql(
    `with ended as (update sync_window set running = false where connection_id = 'acme' returning *)
     insert into sync_run (connection_id, fence, started_at, outcome, error, triggers)
     select connection_id, fence, run_started_at, 'failed', 'dns', run_triggers from ended`,
  )
  expect((await stream.next("sync", ({ outcome }) => outcome === "failed")).data).toMatchObject({
    error: "dns",
  })
  await console.call("POST", "/v1/channels/acme/pause")
  const paused = await stream.next("channel", ({ paused_at }) => paused_at !== null)
  expect(streamedChannelSchema.parse(paused.data).id).toBe("acme")
  await console.call("POST", "/v1/channels/acme/resume")
})

test("a job is sent when it is created, progresses and ends, to keys that may read jobs", async () => {
  const reader = await open("", { key: await console.keyWith("read") })
  const onlyJobs = await open("event=job")
  const partner = await open("", { key: await console.keyWith("channel:acme") })
  const owner = await open("", { key: await console.keyWith("site:acme.example") })
  const body = { filter: { channel: "acme" }, reason: "r" }
  const { json: created } = await console.call("POST", "/v1/jobs/resend", { body })
  const first = await reader.next("job", ({ id }) => id === created.id)
  expect(streamedJobSchema.parse(first.data)).toEqual({
    ...{ id: created.id, kind: "resend", state: "running", counts: {} },
    ...{ created_at: created.created_at, finished_at: null },
  })
  await sql("update job set counts = '{\"resent\": 40}' where id = $1", [created.id])
  await onlyJobs.next("job", ({ counts }) => (counts as { resent?: number }).resent === 40)
  await console.call("POST", `/v1/jobs/${created.id}/cancel`)
  const ended = await reader.next("job", ({ state }) => state === "cancelled")
  expect(ended.data.finished_at).not.toBeNull()
  await console.call("POST", "/v1/channels/acme/pause")
  await partner.next("channel")
  await insertSync(console.pool.sql, { at: Date.now(), connection: "acme" })
  await owner.next("sync")
  for (const { events } of [partner, owner]) expect(events.map(({ event }) => event)).not.toContain("job")
  expect(onlyJobs.events.map(({ event }) => event)).not.toContain("channel")
  await console.call("POST", "/v1/channels/acme/resume")
})

test("a transaction that began before others and commits after them is not missed", async () => {
  const stream = await open("event=delivery")
  const late = await console.pool.driver.connect()
  await late.query("begin")
  const lateSql = async <R>(text: string, values: readonly unknown[] = []) =>
    (await late.query(text, [...values])).rows as R[]
  const first = await insertDelivery(lateSql as typeof console.pool.sql, { at: Date.now() })
  const second = await insertDelivery(console.pool.sql, { at: Date.now() })
  await stream.next("delivery", (data) => data.id === second)
  expect(deliveriesOf(stream)).not.toContain(first)
  await late.query("commit")
  late.release()
  await stream.next("delivery", (data) => data.id === first)
})

test("a key sees only its channels' and sites' changes", async () => {
  const partner = await open("", { key: await console.keyWith("channel:acme") })
  const owner = await open("", { key: await console.keyWith("site:other.example") })
  const ofChannel = await open("channel=other")
  const ofConnection = await open("connection=other")
  for (const channel of ["other", "acme"]) {
    await insertDelivery(console.pool.sql, { at: Date.now(), channel })
    await insertSync(console.pool.sql, { at: Date.now(), connection: channel })
    await console.call("POST", `/v1/channels/${channel}/pause`)
  }
  for (const stream of [partner, ofChannel])
    for (const event of ["delivery", "channel"]) await stream.next(event)
  for (const stream of [owner, ofConnection]) await stream.next("sync")
  const seen = ({ events }: typeof partner) =>
    new Set(
      events
        .filter(({ event }) => event !== "heartbeat")
        .map(({ event, data }) => `${event} ${data.channel ?? data.id ?? data.site}`),
    )
  expect(seen(partner)).toEqual(new Set(["delivery acme", "channel acme"]))
  expect(seen(owner)).toEqual(new Set(["sync other.example"]))
  expect(seen(ofChannel)).toEqual(new Set(["delivery other", "channel other"]))
  expect(seen(ofConnection)).toEqual(new Set(["sync other.example"]))
  const key = await console.keyWith("channel:acme")
  for (const query of ["channel=other", "channel=none", "connection=acme", "connection=none"])
    expect((await console.call("GET", `/v1/stream?${query}`, { key })).status, query).toBe(404)
})

test("a stream ends within seconds of the revocation or the expiry of its key", async () => {
  const key = await console.keyWith("read")
  const expiring = await console.keyWith("read")
  const streams = [await open("", { key }), await open("", { key: expiring })]
  const others = await open()
  await sql(
    "update api_key set revoked_at = now() where id = (select id from api_key order by created_at desc offset 1 limit 1)",
  )
  await sql(
    "update api_key set expires_at = now() + interval '1 second' where id = (select id from api_key order by created_at desc limit 1)",
  )
  for (const stream of streams) {
    expect((await stream.next("end")).data).toEqual({ reason: "key-invalid" })
    await waitUntil("the end", stream.ended)
  }
  expect(others.ended()).toBe(false)
})

test("a key has at most ten streams, those of partners have half of all, and a closed one makes room", async () => {
  const keys = await Promise.all(Array.from({ length: 6 }, () => console.keyWith("channel:acme")))
  const url = `${console.origin}/v1/stream`
  const streams = await Promise.all(
    keys
      .slice(1)
      .flatMap((key) => Array(10).fill(key))
      .map((key) => open("", { key })),
  )
  for (const key of keys.slice(0, 2)) expect((await readStream(url, key)).status).toBe(429)
  const rejected = await console.call("GET", "/v1/stream", { key: keys[1] ?? "" })
  expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-streams" } })
  expect(rejected.headers.get("retry-after")).toBe("5")
  await open()
  streams[0]?.close()
  const room = await waitUntil("room for a stream", async () => {
    const stream = await readStream(url, keys[0] ?? "")
    return stream.status === 200 ? stream : undefined
  })
  room.close()
})

test("a stream is no slow request in the log and the metrics", async () => {
  const count = async () =>
    /request_seconds_count\{[^}]*route="\/v1\/stream"\} (\d+)/.exec(await console.metrics.metrics())?.[1]
  const before = await count()
  const stream = await open()
  stream.close()
  await waitUntil("the log of the end", () => console.log.some((line) => line.includes('"stream ended"')))
  const metrics = await console.metrics.metrics()
  expect(await count()).toBe(before)
  const counted = metrics
    .split("\n")
    .filter((line) => line.includes('route="/v1/stream"') && line.includes('status="200"'))
  expect(counted).toHaveLength(1)
  expect(metrics).toMatch(/sitewire_console_streams\S* \d/)
  expect(console.log.filter((line) => line.includes("cut off"))).toEqual([])
})

test("a client that does not read is disconnected", async () => {
  const own = await startConsole()
  onTestFinished(() => own.close())
  const socket = connect(own.port, "127.0.0.1")
  let closed = false
  socket
    .on("error", () => {})
    .on("close", () => {
      closed = true
    })
  socket.write(`GET /v1/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${own.key}\r\n\r\n`)
  await new Promise((resolve) => socket.once("data", resolve))
  socket.pause()
  const reader = await readStream(`${own.origin}/v1/stream`, own.key)
  const isCut = () => own.log.some((line) => line.includes("did not read its stream"))
  for (let sent = 0; !isCut(); ) {
    sent += inserted
    await own.pool.sql(insertLarge)
    await waitUntil("the other stream to read", () => isCut() || reader.events.length >= sent)
  }
  await waitUntil("one stream to be left", async () =>
    /sitewire_console_streams\S* 1/.test(await own.metrics.metrics()),
  )
  reader.close()
  socket.resume()
  await waitUntil("the connection to close", () => closed)
})

/** Their events are far smaller than what may wait for a client. So the other client is not cut, too, on a busy machine. */
const inserted = 200
const ms = "lpad(to_hex((extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0')"
const insertLarge = `
insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state)
select (left(${ms}, 8) || '-' || right(${ms}, 4) || right(gen_random_uuid()::text, 23))::uuid,
       gen_random_uuid() || repeat('x', 900), 'acme', '', '', 'c', 'delivered' from generate_series(1, ${inserted})`

test("HEAD has no body and opens no stream", async () => {
  const before = /sitewire_console_streams\S* (\d+)/.exec(await console.metrics.metrics())?.[1]
  const head = await console.call("HEAD", "/v1/stream")
  expect(head).toMatchObject({ status: 200, text: "" })
  expect(/sitewire_console_streams\S* (\d+)/.exec(await console.metrics.metrics())?.[1]).toBe(before)
})
