import { afterAll, beforeAll, expect, test } from "vitest"
import { insertWaiting } from "../../../test/fixtures/deliveries.ts"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  for (const id of ["acme", "other"])
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
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

const attempt = (n: number, ago: string, more: { ms: number; error?: string; status?: number }) =>
  console.pool.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, status, error, detail, secret_id)
     values ($1, 1, now() - $2::interval, $3, $4, $5, case when $5::text is not null then 'why' end, 's')`,
    [delivery(n), ago, more.ms, more.status ?? null, more.error ?? null],
  )

test("a channel without deliveries and dispatchers is ok, and has no numbers", async () => {
  const { json } = await console.call("GET", "/v1/channels/acme/health")
  const none = { attempts: 0, succeeded: 0, success_rate: null, latency_p50_ms: null, latency_p99_ms: null }
  expect(json).toEqual({
    channel: "acme",
    health: "ok",
    paused_at: null,
    max_per_second: null,
    dispatchers: [],
    deferred: [],
    scheduled: { count: 0, next_attempt_at: null },
    last_hour: none,
    last_day: none,
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

  const { json } = await console.call("GET", "/v1/channels/acme/health")
  expect(json).toMatchObject({
    health: "failing",
    dispatchers: [
      { id: "a", breaker: "open", failures: 20, concurrency_limit: 4, in_flight: 1, average_ms: 900 },
      { id: "b", breaker: "closed", breaker_opened_at: null, failures: null, concurrency_limit: null },
    ],
    deferred: [{ reason: "breaker", count: 2 }],
    scheduled: { count: 1 },
    last_hour: { attempts: 10, succeeded: 10, success_rate: 1, latency_p50_ms: 55 },
    last_day: { attempts: 11, succeeded: 10 },
    last_success: { delivery: delivery(1), status: 204 },
    last_failure: { delivery: delivery(11), status: null, error: "timeout", detail: "why" },
  })
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

test("a partner's key reads the health of its own channel only", async () => {
  const key = await console.keyWith("channel:acme")
  expect((await console.call("GET", "/v1/channels/acme/health", { key })).status).toBe(200)
  expect((await console.call("GET", "/v1/channels/other/health", { key })).status).toBe(404)
})
