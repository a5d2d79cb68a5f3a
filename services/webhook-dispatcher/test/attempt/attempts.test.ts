import { createHmac } from "node:crypto"
import { openPool } from "@sitewire/database"
import { startReceiver } from "@sitewire/receiver"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, secret, startInstallation } from "../fixtures/testDispatcher.ts"

type Installation = Awaited<ReturnType<typeof startInstallation>>

const attemptsOf = (it: Installation, count: number) =>
  waitUntil(`${count} attempts`, async () => {
    const rows = await it.sql(
      `select event_id, number, status, error, lookup_ms, connect_ms, tls_ms, first_byte_ms, duration_ms,
              convert_from(response_excerpt, 'utf8') as said
         from attempt join delivery on delivery.id = delivery_id order by started_at`,
    )
    return rows.length === count && rows
  })

test("what is signed and sent are the stored bytes, and not what they mean", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_000] })
  const partner = await startReceiver((_, response, before) => response.writeHead(before ? 200 : 500).end())
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await attemptsOf(it, 1)
  const stored = Buffer.from('{ "name" : "\\u00dcn\\u00efcode", "event":"site.ready" }\n')
  await it.sql("update delivery set body = $1", [stored])
  await waitUntil("the retry", () => partner.received.length === 2)
  expect(partner.received[1]?.body.toString()).toBe(stored.toString())
  const expected = `sha256=${createHmac("sha256", secret).update(stored).digest("hex")}`
  expect(partner.received[1]?.headers["x-sitewire-signature"]).toBe(expected)
  await partner.close()
})

test("Retry-After of a partner moves its next attempt to the longer delay", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200, 2_000] })
  const partner = await startReceiver((_, response, before) => {
    response.writeHead(before ? 200 : 429, before ? {} : { "retry-after": "1" }).end()
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the retry", () => partner.received.length === 2)
  const [first, second] = partner.received
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(2_000)
  await partner.close()
})

test("any 2xx is a success, also behind an early hint, and what is not 2xx is none", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const statuses = [200, 202, 204, 206, 226, 299, 300, 304]
  const partner = await startReceiver(({ path }, response) => {
    const status = Number(path.slice(1))
    if (status === 299) response.writeEarlyHints({ link: "</style.css>; rel=preload" })
    response.writeHead(status).end()
  })
  for (const status of statuses) await it.channel(`answers-${status}`, `${partner.url}/${status}`)
  await it.dispatcher()
  await it.publishPaid(statuses.map((status) => paid(`shop-${status}`, { channel: `answers-${status}` })))
  const rows = await attemptsOf(it, statuses.length)
  expect(Object.fromEntries(rows.map(({ status, error }) => [status, error]))).toEqual({
    ...Object.fromEntries(statuses.map((status) => [status, null])),
    300: "status",
    304: "status",
  })
  await partner.close()
})

test("an attempt is recorded with where its time went, and with an answer that comes behind its head", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const partner = await startReceiver((_, response) => {
    response.writeHead(500, { "content-length": "10" }).flushHeaders()
    setTimeout(() => response.end("not today."), 50)
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  const [fresh] = await attemptsOf(it, 1)
  const some = expect.any(Number)
  expect(fresh).toMatchObject({ lookup_ms: null, connect_ms: some, tls_ms: null, first_byte_ms: some })
  expect(fresh).toMatchObject({ status: 500, said: "not today." })
  const { connect_ms, first_byte_ms, duration_ms } = fresh as Record<string, number>
  expect(connect_ms).toBeGreaterThan(0)
  expect(first_byte_ms).toBeGreaterThan(0)
  expect(Number(connect_ms) + Number(first_byte_ms)).toBeLessThanOrEqual(Number(duration_ms))
  await it.publishPaid([paid("shop-2")])
  const [, kept] = await attemptsOf(it, 2)
  expect(kept).toMatchObject({ connect_ms: null, first_byte_ms: some, said: "not today." })
  await partner.close()
})

test("a body that never ends holds no place: ten attempts go through a channel that takes one at a time", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const partner = await startReceiver((_, response) => {
    response.writeHead(500).write("I have more to say")
  })
  await it.channel("acme", partner.url)
  await it.dispatcher({ CHANNEL_MAX_IN_FLIGHT: "1", CHANNEL_MAX_WAIT: "30s", BREAKER_FAILURES: "100" })
  await it.publishPaid(Array.from({ length: 10 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("all", () => partner.received.length === 10)
  const times = partner.received.map(({ at }) => at).toSorted((a, b) => a - b)
  const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0))
  // Each would hold it for the quarter of a second in which the rest of its body is waited for. A machine that stands
  // still now and then makes some gaps wide, and not most.
  expect(gaps.filter((ms) => ms < 200).length, `gaps of ${gaps.join(", ")} ms`).toBeGreaterThan(4)
  const rows = await attemptsOf(it, 10)
  expect(new Set(rows.map(({ said }) => said))).toEqual(new Set(["I have more to say"]))
  await partner.close()
})

test("a backlog costs two statements a batch, and not two an event", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.publishPaid(Array.from({ length: 500 }, (_, at) => paid(`shop-${at}`)))
  // From another database, whose transactions are not counted.
  const elsewhere = new URL(it.databaseUrl)
  const database = elsewhere.pathname.slice(1)
  elsewhere.pathname = "/postgres"
  const pool = openPool({ url: elsewhere.href, size: 1, name: "test" })
  const transactions = async () => {
    const [row] = await pool.sql<{ count: number }>(
      "select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = $1",
      [database],
    )
    return row?.count ?? 0
  }
  const before = await transactions()
  const dispatcher = await it.dispatcher({ CHANNEL_MAX_IN_FLIGHT: "500" })
  await waitUntil("all", () => partner.received.length === 500)
  // It ends when all is recorded, and its connections tell what they counted when they close.
  expect(await dispatcher.end("SIGTERM")).toBe(0)
  const spent = await waitUntil("the figures", async () => {
    const count = (await transactions()) - before
    return count > 2 && count
  })
  expect(await it.sql("select from delivery where state = 'delivered'")).toHaveLength(500)
  expect(spent).toBeLessThan(150)
  await pool.close()
  await partner.close()
})

test("no log line, figure or topic of ours holds an address or a secret, whatever becomes of a delivery", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300] })
  const echo = (status: number) =>
    startReceiver(({ body }, response) => void response.writeHead(status, { said: "no" }).end(body))
  const [takes, refuses, hangs] = await Promise.all([echo(200), echo(500), startReceiver(() => {})])
  await it.channel("takes", takes.url)
  await it.channel("refuses", refuses.url)
  await it.channel("hangs", hangs.url)
  const [waiting, dead] = [await it.read(it.names.retry[0] ?? ""), await it.read(it.names.dead)]
  const dispatcher = await it.dispatcher({
    LOG_LEVEL: "trace",
    RETRY_PERIOD: "1s",
    DELIVERY_TIMEOUT: "500ms",
    CHANNEL_MAX_IN_FLIGHT: "1",
    CHANNEL_MAX_WAIT: "0ms",
    BREAKER_FAILURES: "2",
  })
  const email = "owner@shop.example"
  await it.publishPaid(
    ["takes", "refuses", "hangs", "hangs", "nobody"].map((channel, at) =>
      paid(`shop-${at}`, { channel, email }),
    ),
  )
  await it.publish([{ topic: it.names.sitePaid, key: "bad", value: `{"email": "${email}"` }])
  await waitUntil("three dead letters", () => dead.length === 3)
  const figures = await fetch(`${dispatcher.addresses.ops}/metrics`).then((answer) => answer.text())
  for (const outcome of ["delivered", "status", "timeout"]) expect(figures).toContain(`outcome="${outcome}"`)
  expect(figures).toContain('outcome="invalid"')
  expect(figures).toContain("sitewire_deliveries_deferred_total{reason=")
  const output = dispatcher.output()
  expect(output).toContain('"level":"debug"')
  expect(waiting.length).toBeGreaterThan(0)
  const topics = [...waiting, ...dead].map(
    ({ key, value, headers }) => `${key} ${value} ${JSON.stringify(headers)}`,
  )
  for (const place of [output, figures, topics.join("\n")]) {
    expect(place).not.toContain("owner")
    expect(place).not.toContain(secret)
    expect(place).not.toMatch(/sha256=|site\.ready"/)
  }
  await Promise.all([takes.close(), refuses.close(), hangs.close()])
})
