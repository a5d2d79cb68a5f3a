import { referenceDigest, searchKeys, siteDigest } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { knowEvents } from "../../../test/fixtures/deliveries.ts"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"
import { findDeliveryIds } from "./findDeliveryIds.ts"

let console: TestConsole
const start = Date.parse("2026-03-01T00:00:00Z")
const hourMs = 3_600_000

type Stored = {
  n: number
  channel: string
  state: "pending" | "delivered" | "dead" | "cancelled" | "erased"
  error: "timeout" | "status" | null
  waitingFor: "breaker" | "retry" | null
  reference: string
  site: string
  job: string | null
  at: number
}
const stored: Stored[] = []

/** 48 deliveries, one every 7 hours, so that they are in many periods of search keys. */
beforeAll(async () => {
  console = await startConsole()
  const of = <T>(list: readonly [T, ...T[]], n: number): T => list[n % list.length] ?? list[0]
  for (let n = 0; n < 48; n++) {
    const state = of(
      ["delivered", "pending", "dead", "cancelled", "delivered", "erased"] as const,
      Math.floor(n / 2),
    )
    stored.push({
      n,
      channel: of(["acme", "other"], n),
      state,
      waitingFor: state === "pending" ? of(["breaker", "retry"], Math.floor(n / 12)) : null,
      error: of([null, "timeout", "status"], Math.floor(n / 4)),
      reference: of(["user-1", "user-2", "user\u0000 3"], n),
      site: `https://shop-${n % 5}.example`,
      job: of([null, "job_1", "job_1", "job_2"], Math.floor(n / 3)),
      at: start + n * 7 * hourMs,
    })
  }
  for (const channel of ["acme", "other"]) {
    const body = { id: channel, address: "https://partner.example/" }
    expect((await console.call("POST", "/v1/channels", { body })).status).toBe(201)
  }
  // The channels are older than their deliveries.
  await console.prisma.channel.updateMany({ data: { created_at: new Date(start) } })
  await console.prisma.delivery.createMany({ data: stored.map(rowOf) })
  await knowEvents(console.pool.sql)
  await console.prisma.waitingDelivery.createMany({ data: stored.flatMap(waitingOf) })
})
afterAll(() => console.close())

function idOf({ n, at }: Stored): string {
  const time = at.toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${String(n).padStart(12, "0")}`
}

function rowOf(row: Stored) {
  const { n, channel, state, error, reference, site, job, at } = row
  const key = (digest: Buffer) => new Uint8Array(searchKeys(digest, { fromMs: at, toMs: at })[0] ?? [])
  const erased = state === "erased"
  return {
    id: idOf(row),
    event_id: `event-${n}`,
    channel_id: channel,
    body: new Uint8Array(),
    body_sha256: new Uint8Array(),
    correlation: "c",
    state,
    attempts: error === null ? 0 : 1,
    last_error: error,
    last_job: job,
    created_at: new Date(at),
    reference_key: erased ? null : key(referenceDigest(reference)),
    site_key: erased ? null : key(siteDigest(site)),
  }
}

function waitingOf(row: Stored) {
  const { channel, error, waitingFor, at } = row
  if (waitingFor === null) return []
  const situation =
    waitingFor === "retry"
      ? { next_attempt_at: new Date(at + hourMs) }
      : { deferred_at: new Date(at), deferred_reason: waitingFor }
  return [{ delivery_id: idOf(row), channel_id: channel, attempts: error === null ? 0 : 1, ...situation }]
}

async function search(query: Record<string, string>, key?: string, limit = "100"): Promise<number[]> {
  const found: number[] = []
  for (let cursor: string | null = null; ; ) {
    const page = new URLSearchParams({ ...query, limit, ...(cursor === null ? {} : { cursor }) })
    const { status, json } = await console.call("GET", `/v1/deliveries?${page}`, key ? { key } : {})
    expect(status).toBe(200)
    found.push(...(json.data as { id: string }[]).map(({ id }) => Number(id.slice(-12))))
    cursor = json.next_cursor as string | null
    if (cursor === null) return found
  }
}

const after = new Date(start + 60 * hourMs)
const before = new Date(start + 250 * hourMs)
const filters: Record<string, { value: string; matches: (one: Stored) => boolean }> = {
  channel: { value: "acme", matches: ({ channel }) => channel === "acme" },
  state: { value: "dead", matches: ({ state }) => state === "dead" },
  event_id: { value: "event-13", matches: ({ n }) => n === 13 },
  reference: {
    value: "user\u0000 3",
    matches: ({ reference, state }) => reference === "user\u0000 3" && state !== "erased",
  },
  site_url: {
    value: "http://SHOP-2.example/",
    matches: ({ site, state }) => site === "https://shop-2.example" && state !== "erased",
  },
  error: { value: "timeout", matches: ({ error }) => error === "timeout" },
  waiting_for: { value: "breaker", matches: ({ waitingFor }) => waitingFor === "breaker" },
  job: { value: "job_1", matches: ({ job }) => job === "job_1" },
  created_after: { value: after.toISOString(), matches: ({ at }) => at >= after.getTime() },
  created_before: { value: before.toISOString(), matches: ({ at }) => at < before.getTime() },
}

test("every combination of filters finds exactly the matching deliveries, newest first", async () => {
  const names = Object.keys(filters)
  for (let combination = 0; combination < 2 ** names.length; combination++) {
    const used = names.filter((_, at) => (combination >> at) % 2 === 1)
    const query = Object.fromEntries(used.map((name) => [name, filters[name]?.value ?? ""]))
    const expected = stored
      .filter((one) => used.every((name) => filters[name]?.matches(one)))
      .map(({ n }) => n)
      .toReversed()
    expect(await search(query), JSON.stringify(query)).toEqual(expected)
  }
})

test("a search continues page after page", async () => {
  const queries: Record<string, string>[] = [
    {},
    { state: "pending" },
    { reference: "user-1" },
    { job: "job_1" },
    { channel: "acme", error: "status" },
  ]
  for (const query of queries) expect(await search(query, undefined, "3")).toEqual(await search(query))
})

test.each(["pending", "delivered", "dead", "cancelled", "erased"] as const)(
  "the state %s is found with and without a channel and an error",
  async (state) => {
    for (const channel of [undefined, "other"]) {
      for (const error of [undefined, "status"]) {
        const expected = stored.filter(
          (one) =>
            one.state === state &&
            (channel === undefined || one.channel === channel) &&
            (error === undefined || one.error === error),
        )
        const query = { state, ...(channel ? { channel } : {}), ...(error ? { error } : {}) }
        expect(await search(query)).toEqual(expected.map(({ n }) => n).toReversed())
      }
    }
  },
)

test.each(["breaker", "retry"] as const)(
  "what waits for its %s is found, with and without a channel",
  async (what) => {
    for (const channel of [undefined, "other"]) {
      const expected = stored.filter(
        (one) => one.waitingFor === what && (channel === undefined || one.channel === channel),
      )
      expect(expected.length).toBeGreaterThan(0)
      const query = { waiting_for: what, ...(channel ? { channel } : {}) }
      expect(await search(query)).toEqual(expected.map(({ n }) => n).toReversed())
    }
  },
)

test("a pending delivery is found in each of its situations", async () => {
  const id = idOf(stored[2] as Stored)
  const isFoundAfter = async (statement: string) => {
    await console.pool.sql(statement, [id])
    return (await search({ state: "pending" })).includes(2)
  }
  expect(await isFoundAfter("update delivery set last_error = null, attempts = 0 where id = $1")).toBe(true)
  const scheduled = "next_attempt_at = now(), deferred_at = null, deferred_reason = null"
  expect(await isFoundAfter(`update waiting_delivery set ${scheduled} where delivery_id = $1`)).toBe(true)
  expect(await isFoundAfter("update delivery set state = 'delivered' where id = $1")).toBe(false)
})

test("a search with a channel key finds only what the key may see", async () => {
  const key = await console.keyWith("channel:acme")
  const both = await console.keyWith("channel:acme", "channel:other")
  const mine = (matches: (one: Stored) => boolean) =>
    stored.filter((one) => one.channel === "acme" && matches(one)).map(({ n }) => n)
  for (const name of ["state", "reference", "site_url", "error", "job", "created_after"]) {
    const { value = "", matches = () => false } = filters[name] ?? {}
    expect((await search({ [name]: value }, key)).toReversed(), name).toEqual(mine(matches))
    expect(await search({ [name]: value }, both), name).toEqual(await search({ [name]: value }))
  }
  // Event 13 is of the other channel.
  expect(await search({ event_id: "event-13" }, key)).toEqual([])
  expect(await search({ event_id: "event-12" }, key)).toEqual([12])
})

test("a forged cursor of a time far ahead makes a search no larger", async () => {
  const bound: unknown[] = []
  const sql: Sql = (text, values, name) => {
    bound.push(...(values ?? []))
    return console.pool.sql(text, values, name)
  }
  const before = "0fffffff-ffff-7fff-bfff-ffffffffffff"
  const query = { reference: "user-1", channels: null, before, count: 1 }
  expect(await findDeliveryIds(sql, query)).toHaveLength(1)
  const [keys] = bound.filter(Array.isArray)
  expect(keys?.length).toBeLessThan((Date.now() - start) / 2 ** 24 + 10)
})

test("an invalid filter is a 400 that names it", async () => {
  for (const [name, value] of [
    ["site_url", "shop.example"],
    ["error", "nope"],
    ["created_after", "2026-03-01"],
    ["event_id", ""],
    ["event_id", "%00"],
  ]) {
    const { status, json } = await console.call("GET", `/v1/deliveries?${name}=${value}`)
    expect(status).toBe(400)
    expect(json.errors).toMatchObject([{ field: name }])
  }
})
