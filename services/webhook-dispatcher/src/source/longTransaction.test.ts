import { claimDeferred, findDeferredChannels, readBacklogMetrics } from "@sitewire/deliveries"
import { startDeliveryDatabase } from "@sitewire/deliveries/fixtures/deliveryDatabase"
import { indexEntriesRead } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { createBacklogs } from "./backlogs.ts"

const gone = 5_000
const index = "waiting_delivery_deferred_idx"

test("behind a long transaction, a claim reads no entries of deliveries that do not wait any more", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase({ connections: 2 })
  await sql(
    `insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason)
     select gen_random_uuid(), 'acme', 0, now() - interval '1 hour' + n * interval '1 ms', 'busy' from generate_series(1, $1::int) as n`,
    [gone],
  )
  const long = await driver.connect()
  onTestFinished(() => long.release(true))
  await long.query("begin isolation level repeatable read")
  await long.query("select from channel")
  await sql("delete from waiting_delivery")
  const id = await insert({ deferred_at: "now() - interval '1 minute'", deferred_reason: "'busy'" })

  const backlogs = createBacklogs(new AbortController().signal)
  const claim = async () => {
    const requests = [{ channel: "acme", limit: 1, from: backlogs.scanFrom("acme") }]
    const claimed = await claimDeferred(sql, requests, { leaseMs: 0, attemptWithinMs: 0 })
    expect(claimed.map((due) => due.id)).toEqual([id])
  }
  expect(await indexEntriesRead(sql, index, claim)).toBeGreaterThan(gone)
  backlogs.replace(await findDeferredChannels(sql))
  expect(await indexEntriesRead(sql, index, claim)).toBeLessThan(10)
  expect((await readBacklogMetrics(sql)).unvacuumedRows).toBeGreaterThanOrEqual(gone)
})

test("a scan begins with the oldest delivery of the last claim or poll, so that a released one is found by the next poll", async () => {
  const backlogs = createBacklogs(new AbortController().signal)
  const poll = (oldestMs: number) => backlogs.replace([{ channel: "acme", paused: false, oldestMs }])
  expect(backlogs.scanFrom("acme")).toBe(0)
  poll(100_000)
  expect(backlogs.scanFrom("acme")).toBe(98_000)
  backlogs.claimed("acme", new Date(150_000))
  expect(backlogs.scanFrom("acme")).toBe(148_000)
  poll(120_000)
  expect(backlogs.scanFrom("acme")).toBe(118_000)
})
