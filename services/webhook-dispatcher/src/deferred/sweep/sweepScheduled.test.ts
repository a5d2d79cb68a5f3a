import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../../../test/fixtures/deliveryDatabase.ts"
import { sweepScheduled } from "./sweepScheduled.ts"

const request = (overdueMs: number, nowMs = Date.now()) => ({ overdueMs, batch: 10, nowMs, from: 0 })
const overdueFor = (seconds: number) => ({
  attempts: "1",
  failures: "1",
  next_attempt_at: `now() - interval '${seconds} seconds'`,
  period_started_at: `now() - interval '${seconds} seconds' - interval '1 minute'`,
})

test("a delivery overdue by more than the margin is deferred, and the overdue time does not count towards its retry period", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const within = await insert(overdueFor(240))
  const beyond = await insert(overdueFor(360))
  const before = await row(within)
  expect(await sweepScheduled(sql, request(300_000))).toMatchObject({ deferred: 1 })
  expect(await row(within)).toEqual(before)
  expect(await row(beyond)).toMatchObject({ deferred_reason: "overdue", next_attempt_at: null })
  const [{ elapsed } = { elapsed: 0 }] = await sql<{ elapsed: number }>(
    "select extract(epoch from deferred_at - period_started_at)::float8 as elapsed from waiting_delivery where delivery_id = $1",
    [beyond],
  )
  expect(Math.abs(elapsed - 60)).toBeLessThan(1)
})

test("one sweep defers no more than its batch, longest overdue first, and the next one begins where it ended", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const ids: string[] = []
  for (const seconds of [400, 600, 500]) ids.push(await insert(overdueFor(seconds)))
  const reasons = () => Promise.all(ids.map(async (id) => (await row(id)).deferred_reason))
  const first = await sweepScheduled(sql, { ...request(300_000), batch: 2 })
  expect(first.deferred).toBe(2)
  expect(await reasons()).toEqual([null, "overdue", "overdue"])
  await sql("update waiting_delivery set next_attempt_at = $1, deferred_at = null where delivery_id = $2", [
    new Date(first.lastDueMs - 1_000),
    ids[1],
  ])
  expect(await sweepScheduled(sql, { ...request(300_000), from: first.lastDueMs })).toMatchObject({
    deferred: 1,
  })
  expect(await reasons()).toEqual(["overdue", "overdue", "overdue"])
  expect((await row(ids[1] ?? "")).deferred_at).toBeNull()
})

test("a delivery that is overdue by only one of the clocks is not deferred", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const id = await insert(overdueFor(360))
  const before = await row(id)
  const hour = 3_600_000
  expect(await sweepScheduled(sql, request(300_000, Date.now() - hour))).toMatchObject({ deferred: 0 })
  expect(await sweepScheduled(sql, request(hour, Date.now() + hour))).toMatchObject({ deferred: 0 })
  expect(await row(id)).toEqual(before)
})
