import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { claimDeferred } from "./claim.ts"

const settings = { leaseMs: 60_000, attemptWithinMs: 10_000 }
const requests = (limit: number) => [{ channel: "acme", limit, from: 0 }]
const deferredFor = (seconds: number) => ({
  deferred_at: `now() - interval '${seconds} seconds'`,
  deferred_reason: "'busy'",
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
