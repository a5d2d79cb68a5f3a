import type { Statistics } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { countFrom, insertDelivery, insertSync } from "../../test/fixtures/statistics.ts"
import { hourMs, minuteMs } from "../statistics/countMinute.ts"
import { countNextMinute } from "../statistics/countNextMinute.ts"

/** The begin of an hour that is at least two hours ago. */
const hour = Math.floor(Date.now() / hourMs - 2) * hourMs

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
  const { sql } = console.pool
  for (const id of ["acme", "other"])
    await console.call("POST", "/v1/channels", { body: { id, address: "https://partner.example/" } })
  await countFrom(sql, hour)
  for (const at of [hour, hour + hourMs]) {
    await insertDelivery(sql, {
      at,
      attempts: [
        ...Array.from({ length: 99 }, () => ({ at, durationMs: 100 })),
        { at, error: "timeout", durationMs: 10_000 },
      ],
    })
    await insertDelivery(sql, { at, channel: "other", deferred: "busy" })
    await insertSync(sql, { at, triggers: 4 })
  }
  while ((await countNextMinute(console.pool)) === "counted");
})
afterAll(() => console.close())

const iso = (ms: number) => new Date(ms).toISOString()
async function read(query: string, key = console.key) {
  const { status, json, text } = await console.call("GET", `/v1/statistics?${query}`, { key })
  expect(status, text).toBe(200)
  return json as unknown as Statistics
}

test("minutes, hours and days have the same totals", async () => {
  for (const merge of [1, 60, 1_440]) {
    const { data } = await read(`merge=${merge}&created_after=${iso(hour)}`)
    const sum = (pick: (point: (typeof data)[number]) => number) =>
      data.reduce((total, point) => total + pick(point), 0)
    expect({
      deliveries: sum((point) => point.deliveries),
      delivered: sum((point) => point.attempts.delivered),
      timeout: sum((point) => point.attempts.timeout),
      covered: sum((point) => point.triggers?.covered ?? 0),
      changed: sum((point) => point.syncs?.changed ?? 0),
    }).toEqual({ deliveries: 4, delivered: 198, timeout: 2, covered: 8, changed: 2 })
    expect(data.map((point) => point.started_at)).toEqual(data.map((point) => point.started_at).toSorted())
  }
})

test("quantiles come from merged buckets", async () => {
  const { data } = await read(`merge=60&created_after=${iso(hour)}&created_before=${iso(hour + 1)}`)
  const [point] = data
  expect(data).toHaveLength(1)
  expect(point?.latency_ms?.p50).toBeGreaterThan(90)
  expect(point?.latency_ms?.p50).toBeLessThan(119)
  expect(point?.latency_ms?.p99).toBeLessThan(120)
})

test("merged points and the total have the sums and the quantiles of all their minutes", async () => {
  const { data, total } = await read(
    `merge=60&created_after=${iso(hour)}&created_before=${iso(hour + 2 * hourMs)}`,
  )
  expect(data.map((point) => [point.started_at, point.deliveries, point.attempts.delivered])).toEqual([
    [iso(hour), 2, 99],
    [iso(hour + hourMs), 2, 99],
  ])
  expect(total).toMatchObject({
    deliveries: 4,
    attempts: { delivered: 198, timeout: 2 },
    triggers: { covered: 8 },
    syncs: { changed: 2 },
  })
  expect(total.latency_ms).toEqual(data[0]?.latency_ms)
})

test("a channel's points contain its own counts, and zeros for minutes without events", async () => {
  const { data, channel } = await read(
    `channel=other&created_after=${iso(hour)}&created_before=${iso(hour + 3 * minuteMs)}`,
  )
  expect(channel).toBe("other")
  expect(data).toHaveLength(3)
  expect(data.map((point) => point.deliveries)).toEqual([1, 0, 0])
  expect(data[0]).toMatchObject({ attempts: { delivered: 0 }, latency_ms: null, triggers: null, syncs: null })
})

test("deferred deliveries are counted for the newest minute", async () => {
  expect((await read("")).deferred).toMatchObject({ by_reason: { busy: 2, paused: 0 } })
  expect((await read("channel=acme")).deferred).toMatchObject({ by_reason: { busy: 0 } })
  const { counted_before, data } = await read("merge=1")
  expect(Date.parse(counted_before)).toBeGreaterThan(Date.now() - 3 * minuteMs)
  expect(data.length).toBeLessThanOrEqual(60)
})

test("a channel's key reads its channel only", async () => {
  const partner = await console.keyWith("channel:acme")
  expect((await read("channel=acme", partner)).channel).toBe("acme")
  for (const [query, status] of [
    ["channel=other", 404],
    ["channel=none", 404],
    ["", 400],
  ] as const) {
    expect((await console.call("GET", `/v1/statistics?${query}`, { key: partner })).status, query).toBe(
      status,
    )
  }
  const owner = await console.keyWith("site:acme.example")
  expect((await console.call("GET", "/v1/statistics", { key: owner })).status).toBe(403)
})

test("older or too many points are rejected, and a range at the end of time is empty", async () => {
  for (const [days, message] of [
    [8, "at most 7 days ago"],
    [6, "1500 points"],
  ] as const) {
    const created_after = iso(Date.now() - days * 86_400_000)
    const { status, text } = await console.call("GET", `/v1/statistics?created_after=${created_after}`)
    expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(message) })
  }
  const { data } = await read(
    "merge=1440&created_after=9999-12-31T23:59:59Z&created_before=9999-12-31T23:59:59Z",
  )
  expect(data).toEqual([])
})

test("statistics are sent compressed", async () => {
  const response = await fetch(`${console.origin}/v1/statistics?created_after=${iso(hour)}`, {
    headers: { authorization: `Bearer ${console.key}`, "accept-encoding": "gzip" },
  })
  const text = await response.text()
  expect([response.headers.get("content-encoding"), text]).toEqual([
    "gzip",
    expect.stringMatching(/^\{"channel":null/),
  ])
})
