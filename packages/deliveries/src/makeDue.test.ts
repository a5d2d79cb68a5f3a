import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { makeDue } from "./makeDue.ts"

const lateBy = (seconds: number, more = {}) => ({
  attempts: "1",
  failures: "1",
  next_attempt_at: `now() - interval '${seconds} seconds'`,
  period_started_at: `now() - interval '${seconds} seconds' - interval '1 minute'`,
  ...more,
})

test("a delivery that is due and was not woken for seconds is deferred, and what it was late does not count towards its retry period", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const notDue = await insert(lateBy(-1))
  const leased = await insert(lateBy(300, { lease_expires_at: "now() + interval '1 minute'" }))
  const untouched = [await row(notDue), await row(leased)]
  const late = await insert(lateBy(300))
  const killed = await insert(lateBy(300, { lease_expires_at: "now() - interval '1 second'" }))
  expect(await makeDue(sql)).toBe(2)
  expect([await row(notDue), await row(leased)]).toEqual(untouched)
  for (const id of [late, killed])
    expect(await row(id)).toMatchObject({
      deferred_reason: "overdue",
      next_attempt_at: null,
      lease_expires_at: null,
    })
  const [{ elapsed } = { elapsed: 0 }] = await sql<{ elapsed: number }>(
    "select extract(epoch from deferred_at - period_started_at)::float8 as elapsed from waiting_delivery where delivery_id = $1",
    [late],
  )
  expect(Math.abs(elapsed - 60)).toBeLessThan(1)
})
