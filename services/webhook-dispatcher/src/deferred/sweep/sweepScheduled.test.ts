import { expect, onTestFinished, test, vi } from "vitest"
import { startDeliveryDatabase } from "../../../test/fixtures/deliveryDatabase.ts"
import { sweepScheduled } from "./sweepScheduled.ts"

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
  expect(await sweepScheduled(sql, { overdueMs: 300_000, batch: 10 })).toBe(1)
  expect(await row(within)).toEqual(before)
  expect(await row(beyond)).toMatchObject({ deferred_reason: "overdue", next_attempt_at: null })
  const [{ elapsed } = { elapsed: 0 }] = await sql<{ elapsed: number }>(
    "select extract(epoch from deferred_at - period_started_at)::float8 as elapsed from waiting_delivery where delivery_id = $1",
    [beyond],
  )
  expect(Math.abs(elapsed - 60)).toBeLessThan(1)
})

test("one sweep defers no more than its batch, longest overdue first", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const ids: string[] = []
  for (const seconds of [400, 600, 500]) ids.push(await insert(overdueFor(seconds)))
  expect(await sweepScheduled(sql, { overdueMs: 300_000, batch: 2 })).toBe(2)
  const reasons = await Promise.all(ids.map(async (id) => (await row(id)).deferred_reason))
  expect(reasons).toEqual([null, "overdue", "overdue"])
})

test("a delivery that is overdue by Postgres's clock only, because that was set ahead, is not deferred", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const id = await insert(overdueFor(360))
  const before = await row(id)
  const now = Date.now()
  vi.spyOn(Date, "now").mockReturnValue(now - 3_600_000)
  onTestFinished(() => void vi.restoreAllMocks())
  expect(await sweepScheduled(sql, { overdueMs: 300_000, batch: 10 })).toBe(0)
  expect(await row(id)).toEqual(before)
  vi.spyOn(Date, "now").mockReturnValue(now + 3_600_000)
  expect(await sweepScheduled(sql, { overdueMs: 3_600_000, batch: 10 })).toBe(0)
})
