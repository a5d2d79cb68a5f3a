import type { DeadDeliveries, ListedChannel, Statistics } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { insertDeliveries, insertWaiting } from "../../../test/fixtures/deliveries.ts"
import { readRows } from "../../../test/fixtures/readRows.ts"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"
import { readAttemptStatistics } from "../../channels/readHealth.ts"
import { readLastAttempts } from "../../channels/readLastAttempts.ts"
import { countMinute } from "../../statistics/countMinute.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  for (const id of ["acme", "other"])
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
  await console.pool.sql("update channel set created_at = now() - interval '30 days'")
})
afterAll(() => console.close())

const delivery = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, "0")}`

async function insert(n: number, channel: string, state: string): Promise<void> {
  await console.pool.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state)
     values ($1::uuid, $1::text, $2, '', '', 'c', $3::delivery_state)`,
    [delivery(n), channel, state],
  )
}

/** `columns` are SQL expressions. */
async function insertPending(n: number, columns: Record<string, string>): Promise<void> {
  await insert(n, "acme", "pending")
  await insertWaiting(console.pool.sql, delivery(n), columns)
}

/** Attempts whose minute the statistics have counted. */
async function attempt(n: number, ago: string, more: { ms: number; error?: string; status?: number }) {
  const [row] = await console.pool.sql<{ minute: Date }>(
    `insert into attempt (delivery_id, number, started_at, duration_ms, status, error, detail, secret_id)
     values ($1, 1, now() - $2::interval, $3, $4, $5, case when $5::text is not null then 'why' end, 's')
     returning date_trunc('minute', started_at) as minute`,
    [delivery(n), ago, more.ms, more.status ?? null, more.error ?? null],
  )
  if (!row) return
  await console.pool.sql("delete from statistic where started_at = $1", [row.minute])
  await countMinute(console.pool.sql, row.minute, 0)
}

test("a channel without deliveries and dispatchers is ok, and has no numbers", async () => {
  const { json } = await console.call("GET", "/v1/channels/acme/health")
  const none = { attempts: 0, succeeded: 0, success_rate: null, latency_p50_ms: null, latency_p99_ms: null }
  expect(json).toEqual({
    channel: "acme",
    health: "ok",
    failing_since: null,
    paused_at: null,
    max_per_second: null,
    dispatchers: [],
    deferred: [],
    scheduled: { count: 0, next_attempt_at: null },
    counted_before: expect.any(String),
    dead: { count: 0, created_after: expect.any(String) },
    retry_period_ms: 21_600_000,
    last_hour: none,
    last_day: none,
    responses: [],
    last_success: null,
    last_failure: null,
  })
})

test("health shows attempts of the last hour and day, what waits and since when, and each running dispatcher", async () => {
  for (let n = 1; n <= 10; n++) {
    await insert(n, "acme", "delivered")
    await attempt(n, `${n * 5} minutes`, { ms: n * 10, status: 204 })
  }
  await insertPending(11, { next_attempt_at: "now() + interval '1 hour'", failures: "3" })
  await attempt(11, "2 hours", { ms: 10_000, error: "timeout" })
  await insertPending(12, { deferred_at: "now() - interval '10 minutes'", deferred_reason: "'breaker'" })
  await insertPending(13, { deferred_at: "now() - interval '5 minutes'", deferred_reason: "'breaker'" })
  await insert(14, "other", "dead")
  await attempt(14, "1 minute", { ms: 1, status: 500, error: "status" })
  await insert(15, "other", "delivered")
  await attempt(15, "3 days", { ms: 1, status: 200 })
  const { sql } = console.pool
  await sql(
    "insert into dispatcher (id, seen_at) values ('a', now()), ('b', now()), ('c', now() - interval '2 minutes')",
  )
  await sql(
    "insert into channel_status values ('acme', 'a', now(), 20, 4, 1, 900), ('acme', 'c', now(), 20, 4, 1, 900)",
  )

  await sql("insert into channel_failure values ('acme', now(), 3, now(), 'timeout')")
  await sql("update statistics_position set counted_through = date_trunc('minute', now())")

  const { json } = await console.call("GET", "/v1/channels/acme/health")
  expect(json).toMatchObject({
    health: "failing",
    failing_since: expect.any(String),
    dispatchers: [
      { id: "a", breaker: "open", failures: 20, concurrency_limit: 4, in_flight: 1, average_ms: 900 },
      { id: "b", breaker: "closed", breaker_opened_at: null, failures: null, concurrency_limit: null },
    ],
    deferred: [{ reason: "breaker", count: 2 }],
    scheduled: { count: 1 },
    last_hour: { attempts: 10, succeeded: 10, success_rate: 1 },
    last_day: { attempts: 11, succeeded: 10 },
    responses: [
      { status: 204, error: null, attempts: 10 },
      { status: null, error: "timeout", attempts: 1 },
    ],
    last_success: { delivery: delivery(1), status: 204 },
    last_failure: { delivery: delivery(11), status: null, error: "timeout", detail: "why" },
  })
  // Latencies are counted in buckets.
  const { latency_p50_ms, latency_p99_ms } = json.last_hour as {
    latency_p50_ms: number
    latency_p99_ms: number
  }
  expect(latency_p50_ms).toBeGreaterThan(50 / 1.19)
  expect(latency_p50_ms).toBeLessThan(50 * 1.19)
  expect(latency_p99_ms).toBeLessThan(100 * 1.19)
  const [deferred] = json.deferred as { since: string }[]
  expect(Date.now() - Date.parse(deferred?.since ?? "")).toBeGreaterThan(9 * 60_000)

  const other = (await console.call("GET", "/v1/channels/other/health")).json
  expect(other).toMatchObject({
    health: "ok",
    last_day: { attempts: 1, succeeded: 0, success_rate: 0 },
    last_success: { delivery: delivery(15), status: 200 },
    last_failure: { delivery: delivery(14), status: 500, error: "status" },
  })
})

test("the attempts of the newest deliveries are seen before their minute is counted", async () => {
  await insert(20, "other", "delivered")
  await console.pool.sql(
    "insert into attempt (delivery_id, number, started_at, duration_ms, status, secret_id) values ($1, 1, now(), 5, 201, 's')",
    [delivery(20)],
  )
  const { json } = await console.call("GET", "/v1/channels/other/health")
  expect(json).toMatchObject({ last_success: { delivery: delivery(20), status: 201 } })
})

test("a channel with the id of a deleted one does not show the attempts of the other", async () => {
  await insert(30, "reused", "delivered")
  await attempt(30, "3 minutes", { ms: 10, status: 204 })
  await console.call("POST", "/v1/channels", { body: { id: "reused", address: "https://new.example/" } })
  const { json } = await console.call("GET", "/v1/channels/reused/health")
  expect(json).toMatchObject({ last_day: { attempts: 0 }, last_success: null })
})

test("health reads few rows, however many attempts and deliveries there are", async () => {
  const { sql, close } = openPool({ url: console.databaseUrl, size: 1, name: "test" })
  const count = 20_000
  await sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, state)
       select ('01900000-0000-7000-8001-' || lpad(n::text, 12, '0'))::uuid, n::text, 'busy', '', '', 'c', 'delivered'
         from generate_series(1, $1::int) n
       returning id
     )
     insert into attempt (delivery_id, number, started_at, duration_ms, secret_id) select id, 1, now(), 1, 's' from stored`,
    [count],
  )
  // As autovacuum does: without it, Postgres takes the tables for empty.
  await sql("analyze delivery, attempt")
  const before = (await readRows(sql, "attempt")) + (await readRows(sql, "delivery"))
  const since = new Date(0)
  await readAttemptStatistics(sql, "busy", since)
  expect((await readLastAttempts(sql, "busy", since)).last_success).not.toBe(null)
  const after = (await readRows(sql, "attempt")) + (await readRows(sql, "delivery"))
  expect(after - before).toBeLessThan(count / 10)
  await close()
})

test("a partner's key reads the health of its own channel only, and nothing of dispatchers", async () => {
  const key = await console.keyWith("channel:acme")
  const own = await console.call("GET", "/v1/channels/acme/health", { key })
  expect(own).toMatchObject({ status: 200, json: { dispatchers: null } })
  expect((await console.call("GET", "/v1/channels/other/health", { key })).status).toBe(404)
})

test("dead deliveries of the last 7 days are counted in a channel's health, in lists and in the statistics", async () => {
  const { sql } = console.pool
  for (const id of ["quiet", "stopped"])
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
  const dead = await insertDeliveries(sql, 240, { channel: "stopped" })
  await sql("update delivery set last_error = 'status', last_status = 503 where id = any($1)", [dead])
  await insertDeliveries(sql, 3, { channel: "stopped", days: 8 })
  await insertDeliveries(sql, 2, { channel: "quiet", days: 2 })
  await insertDeliveries(sql, 5, { channel: "quiet", days: 3, state: "delivered" })
  await insertDeliveries(sql, 1, { channel: "deleted", days: 4 })
  await sql("delete from channel where id = 'deleted'")
  const read = async () => {
    const { json: health } = await console.call("GET", "/v1/channels/stopped/health")
    const { json: list } = await console.call("GET", "/v1/channels?q=stopped")
    const { json: statistics } = await console.call("GET", "/v1/statistics")
    return { health, listed: (list.data as ListedChannel[])[0], all: statistics.dead as Statistics["dead"] }
  }
  const { health, listed, all } = await read()
  expect(health.dead).toMatchObject({ count: 240 })
  expect(listed).toMatchObject({
    health: "ok",
    dead: { count: 240 },
    last_error: "status",
    last_status: 503,
  })
  expect(all).toMatchObject({
    count: 242,
    channels: [
      { channel: "stopped", count: 240 },
      { channel: "quiet", count: 2 },
    ],
  })
  const { created_after } = health.dead as DeadDeliveries
  const found = `/v1/deliveries?channel=stopped&state=dead&limit=100&created_after=${created_after}`
  const { json: page } = await console.call("GET", found)
  expect(page.data).toHaveLength(100)
})
