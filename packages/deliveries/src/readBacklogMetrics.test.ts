import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { readBacklogMetrics } from "./readBacklogMetrics.ts"

test("deferred deliveries are counted by reason up to a limit, and the oldest of all channels that are not paused is found", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  expect(await readBacklogMetrics(sql)).toEqual({
    byReason: [],
    oldestDeferredSeconds: 0,
    oldestOverdueSeconds: 0,
    unvacuumedRows: 0,
    daysAhead: 1,
  })
  for (const [channel, minutes, reason] of [
    ["a", 1, "busy"],
    ["b", 60, "paused"],
    ["b", 2, "paused"],
    ["c", 0, "busy"],
  ]) {
    const deferredAt = `now() - interval '${minutes} minutes'`
    const id = await insert({ deferred_at: deferredAt, deferred_reason: `'${reason}'` })
    await sql("update waiting_delivery set channel_id = $2 where delivery_id = $1", [id, channel])
  }
  await insert({ next_attempt_at: "now() - interval '2 minutes'" })
  const read = await readBacklogMetrics(sql)
  expect(read.byReason.toSorted((a, b) => (a.reason < b.reason ? -1 : 1))).toEqual([
    { reason: "busy", count: 2 },
    { reason: "paused", count: 2 },
  ])
  expect(Math.abs(read.oldestDeferredSeconds - 3_600)).toBeLessThan(60)
  expect(Math.abs(read.oldestOverdueSeconds - 120)).toBeLessThan(60)
  await sql(
    `insert into channel (id, address, secret_id, secret_sealed, paused_at, updated_at)
     values ('b', 'https://partner.example/', 'sec_2', '', now(), now())`,
  )
  expect(Math.abs((await readBacklogMetrics(sql)).oldestDeferredSeconds - 60)).toBeLessThan(30)
  const few = await readBacklogMetrics(sql, 3)
  expect(few.byReason.reduce((sum, { count }) => sum + count, 0)).toBe(3)
})
