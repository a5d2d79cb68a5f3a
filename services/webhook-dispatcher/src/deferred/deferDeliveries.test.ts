import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../../test/fixtures/deliveryDatabase.ts"
import { type Deferral, deferDeliveries } from "./deferDeliveries.ts"

const busy = (id: string): Deferral => ({ id, reason: "busy", attempt: 2, failures: 1, elapsedMs: 60_000 })
const fresh = { attempts: "1", next_attempt_at: "now() - interval '1 second'", failures: "1" }

test("a deferral is ignored if the attempt was made, a resend was requested, or the delivery is finished", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const carried = await insert(fresh)
  const resentFailed = await insert({ ...fresh, state: "'delivered'" })
  const ignored = await Promise.all([
    insert({ ...fresh, attempts: "2" }),
    insert({ ...fresh, state: "'delivered'", next_attempt_at: "null" }),
    insert({ ...fresh, state: "'dead'", next_attempt_at: "null" }),
    insert({
      attempts: "1",
      deferred_at: "now() - interval '1 minute'",
      deferred_reason: "'resend'",
      failures: "0",
    }),
  ])
  const before = await Promise.all(ignored.map(row))
  await deferDeliveries(sql, [carried, resentFailed, ...ignored].map(busy))
  expect(await Promise.all(ignored.map(row))).toEqual(before)
  for (const id of [carried, resentFailed])
    expect(await row(id)).toMatchObject({
      deferred_reason: "busy",
      deferred_at: expect.any(Date),
      next_attempt_at: null,
      attempts: 1,
      failures: 1,
    })
})
