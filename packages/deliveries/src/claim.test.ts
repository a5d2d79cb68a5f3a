import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { claimDeferred, claimScheduled } from "./claim.ts"
import { releaseClaims } from "./release.ts"
import { steadyClock } from "./steadyClock.ts"

const settings = { leaseMs: 60_000, attemptWithinMs: 10_000 }
const requests = (limit: number) => [{ channel: "acme", limit, from: 0 }]
const deferredFor = (seconds: number, more: Record<string, string> = {}) => ({
  deferred_at: `now() - interval '${seconds} seconds'`,
  deferred_reason: "'busy'",
  ...more,
})

test("the delivery deferred first is claimed first, with the number after its last attempt, and once until its lease ends", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const last = await insert(deferredFor(10))
  const first = await insert(deferredFor(30, { attempts: "4", failures: "2" }))
  const second = await insert(deferredFor(20))
  const claimed = await claimDeferred(sql, requests(2), settings)
  expect(claimed).toMatchObject([
    { id: first, attempt: 5, failures: 2 },
    { id: second, attempt: 1, failures: 0 },
  ])
  expect((await claimDeferred(sql, requests(2), settings)).map(({ id }) => id)).toEqual([last])
  expect(await claimDeferred(sql, requests(2), settings)).toEqual([])
  await sql(
    "update waiting_delivery set lease_expires_at = now() - interval '1 second' where delivery_id = $1",
    [second],
  )
  expect((await claimDeferred(sql, requests(2), settings)).map(({ id }) => id)).toEqual([second])
})

test("no delivery of a paused channel is claimed", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await insert(deferredFor(10))
  await sql("update channel set paused_at = now()")
  expect(await claimDeferred(sql, requests(1), settings)).toEqual([])
  await sql("update channel set paused_at = null, resumed_at = now()")
  expect(await claimDeferred(sql, requests(1), settings)).toHaveLength(1)
})

test("a claim does not wait for a delivery that another statement has locked, and gets the next one", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  const first = await insert(deferredFor(30))
  const second = await insert(deferredFor(20))
  const other = await driver.connect()
  await other.query("begin")
  await other.query("select from waiting_delivery where delivery_id = $1 for update", [first])
  const claiming = claimDeferred(sql, requests(1), settings)
  const outcome = await Promise.race([
    claiming.then((claimed) => claimed.map(({ id }) => id)),
    new Promise((resolve) => setTimeout(resolve, 5_000, "it waits")),
  ])
  await other.query("rollback")
  other.release()
  await claiming
  expect(outcome).toEqual([second])
})

const secondsAgo = (seconds: number) => `now() - interval '${seconds} seconds'`

test.each([
  { when: "the channel is reached", counted: [], elapsedS: 100 },
  { when: "the channel could not be reached for 200 s since", counted: [200, 0], elapsedS: 300 },
  { when: "of 700 s, 500 were counted before", counted: [700, 500], elapsedS: 300 },
])(
  "a delivery that was deferred 100 s into its retry period, 600 s ago, has used $elapsedS s of it if $when, whatever the reason",
  async ({ counted: [countedS, beforeS], elapsedS }) => {
    const { sql, insert } = await startDeliveryDatabase()
    if (countedS !== undefined)
      await sql(`insert into unreachable_channel values ('acme', ${countedS} * 1000.0, now())`)
    const times = { period_started_at: secondsAgo(700), unreachable_ms: `${beforeS ?? 0} * 1000.0` }
    for (const reason of ["busy", "paused", "rate", "resend", "breaker"])
      await insert(deferredFor(600, { deferred_reason: `'${reason}'`, ...times }))
    const claimed = await claimDeferred(sql, requests(5), settings)
    expect(claimed).toHaveLength(5)
    for (const { since } of claimed)
      expect(Math.abs(steadyClock.now() - since - elapsedS * 1_000)).toBeLessThan(20_000)
  },
)

test("a released delivery can be claimed at once, even if a resend was requested since, and the release ends no later claim", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const id = await insert(deferredFor(10))
  const claim = async (leaseMs: number) =>
    (await claimDeferred(sql, requests(1), { ...settings, leaseMs }))[0]?.claim.leaseExpiresAt
  const first = (await claim(60_000)) ?? new Date(0)
  // As the console does: the lease is left unchanged, because the attempt may be in flight.
  await sql("update waiting_delivery set deferred_at = now(), deferred_reason = 'resend'")
  await releaseClaims(sql, [{ id, leaseExpiresAt: first, reason: "busy" }])
  expect(await claim(120_000)).toBeInstanceOf(Date)
  await releaseClaims(sql, [{ id, leaseExpiresAt: first, reason: "busy" }])
  expect(await claim(60_000)).toBeUndefined()
})

test("starts of a channel with a maximum rate are spread evenly, and no claim reserves more than 750 ms ahead", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await sql("update channel set max_per_second = 20")
  for (let count = 0; count < 40; count++) await insert(deferredFor(40 - count))
  const before = performance.now()
  const starts = async (limit: number) =>
    (await claimDeferred(sql, requests(limit), settings)).map(({ claim }) => claim.startAt - before)
  const claims = [await starts(3), ...(await Promise.all([starts(30), starts(30)]))]
  const tookMs = performance.now() - before
  const all = claims.flat().toSorted((a, b) => a - b)
  // 15 starts in 750 ms, and one or two more for the time that the claims took.
  expect(all.length).toBeGreaterThanOrEqual(15)
  expect(all.at(-1)).toBeLessThan(750 + tookMs)
  // The starts of different claims are as exact as the time of their responses.
  expect((all.at(-1) ?? 0) - (all[0] ?? 0)).toBeGreaterThan((all.length - 1) * 50 - tookMs)
  for (const starts of claims) {
    const gaps = starts.slice(1).map((at, index) => at - (starts[index] ?? 0))
    for (const gap of gaps.slice(1)) expect(gap).toBeCloseTo(50, 0)
    // A start that has passed when the claim is answered is moved to that time.
    expect(gaps[0] ?? 50).toBeGreaterThan(50 - tookMs)
  }
  const [left] = await sql(
    "select count(*)::int as count from waiting_delivery where lease_expires_at is null",
  )
  expect(left).toEqual({ count: 40 - all.length })
})

test("after Postgres's clock was set back by an hour, a channel with a maximum rate waits for seconds, and then gets its rate", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await sql("update channel set max_per_second = 20")
  for (let count = 0; count < 40; count++) await insert(deferredFor(40 - count))
  await claimDeferred(sql, requests(1), settings)
  await sql(
    "update channel_rate set start_at = start_at + interval '1 hour', next_at = next_at + interval '1 hour'",
  )
  const claimed = await waitUntil("a claim", async () => {
    const due = await claimDeferred(sql, requests(30), settings)
    return due.length > 0 && due
  })
  expect(claimed.length).toBeLessThanOrEqual(16)
  const [rate] = await sql(
    "select next_at < clock_timestamp() + interval '2 seconds' as soon from channel_rate",
  )
  expect(rate).toEqual({ soon: true })
})

const scheduled = (next_attempt_at: string) => ({
  next_attempt_at,
  attempts: "2",
  failures: "2",
  period_started_at: "now() - interval '10 minutes'",
})
const wake = (delivery: string, attempt: number) => ({ delivery, attempt, previousAttempt: null })

test("a scheduled delivery is claimed when it is due, by the number of its next attempt, and once", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const due = await insert(scheduled("now() - interval '5 minutes'"))
  const soon = await insert(scheduled("now() + interval '2 seconds'"))
  const later = await insert(scheduled("now() + interval '1 minute'"))
  const deferred = await insert(deferredFor(10, { attempts: "2" }))
  const wakes = [due, soon, later, deferred].map((id) => wake(id, 3))
  const stale = [due, soon].map((id, at) => wake(id, at === 0 ? 2 : 4))
  expect(await claimScheduled(sql, stale, settings)).toEqual([])
  const before = performance.now()
  const claimed = await claimScheduled(sql, wakes, settings)
  expect(claimed.map(({ id }) => id).sort()).toEqual([due, soon].sort())
  for (const { id, attempt, failures, since, claim } of claimed) {
    expect({ attempt, failures, deferredAt: claim.deferredAt }).toEqual({
      attempt: 3,
      failures: 2,
      deferredAt: null,
    })
    // Late or not, the period is over by no more than it was when the attempt was due.
    const elapsedS = id === due ? 300 : 600
    expect(Math.abs(steadyClock.now() - since - elapsedS * 1_000)).toBeLessThan(20_000)
    // Never early by Postgres's clock.
    if (id === soon) expect(claim.startAt - before).toBeGreaterThan(1_000)
  }
  expect(await claimScheduled(sql, wakes, settings)).toEqual([])
})

test("a scheduled delivery that is released is deferred for the given reason if it is due, and what it was late does not count", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const id = await insert(scheduled("now() - interval '5 minutes'"))
  const [claimed] = await claimScheduled(sql, [wake(id, 3)], settings)
  const leaseExpiresAt = claimed?.claim.leaseExpiresAt ?? new Date(0)
  const early = await insert({
    ...scheduled("now() + interval '1 hour'"),
    lease_expires_at: `'${leaseExpiresAt.toISOString()}'`,
  })
  await releaseClaims(
    sql,
    [id, early].map((id) => ({ id, leaseExpiresAt, reason: "breaker" as const })),
  )
  const stays = { deferred_at: null, deferred_reason: null, lease_expires_at: null }
  expect(await row(early)).toMatchObject({ ...stays, next_attempt_at: expect.any(Date) })
  expect(await row(id)).toMatchObject({
    deferred_reason: "breaker",
    next_attempt_at: null,
    lease_expires_at: null,
    failures: 2,
  })
  const [again] = await claimDeferred(sql, requests(1), settings)
  expect(again?.id).toBe(id)
  expect(Math.abs(steadyClock.now() - (again?.since ?? 0) - 300_000)).toBeLessThan(20_000)
})
