import { lowestDeliveryId } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import { expect, onTestFinished, test, vi } from "vitest"
import type { startInstallation } from "../../../test/fixtures/testDispatcher.ts"
import { sweepUnattempted } from "./sweepUnattempted.ts"

type Installation = Awaited<ReturnType<typeof startInstallation>>

const hourMs = 3_600_000

/** Inserts a delivery that was never attempted and whose record is lost. */
async function insertOrphan(sql: Installation["sql"], event: string, ageMs: number): Promise<string> {
  const id = `${lowestDeliveryId(Date.now() - ageMs).slice(0, 24)}${Buffer.from(event).toString("hex").padStart(12, "0").slice(-12)}`
  await sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, created_at)
     values ($1, $2, 'acme', '{}', '', 'c', now() - $3 * interval '1 millisecond')`,
    [id, event, ageMs],
  )
  return id
}

async function openTestPool() {
  const { url, drop } = await freshDatabase()
  const pool = openPool({ url, size: 2, name: "sweep-test" })
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  return pool
}

test("each stored row is checked once, by whichever dispatcher sweeps, in bounded batches", async () => {
  const pool = await openTestPool()
  for (let n = 0; n < 25; n++) await insertOrphan(pool.sql, `old-${n}`, hourMs + n)
  await insertOrphan(pool.sql, "young", 1_000)
  await pool.sql("update delivery set state = 'delivered', attempts = 1 where event_id like 'old-1%'")
  const sweep = () => sweepUnattempted(pool, { overdueMs: 300_000, batch: 10 })
  expect(await sweep()).toMatchObject({ kind: "swept", more: true })
  expect(await sweep()).toMatchObject({ kind: "swept", more: true })
  expect(await sweep()).toMatchObject({ kind: "swept", more: false })
  const deferred = await pool.sql<{ event_id: string }>(
    "select event_id from delivery where deferred_reason = 'overdue' order by 1",
  )
  expect(deferred.map(({ event_id }) => event_id).filter((event) => event.startsWith("old-1"))).toEqual([])
  expect(deferred).toHaveLength(14)
  expect(await sweep()).toEqual({ kind: "swept", deferred: 0, more: false })
  // Rows that were too young have not been skipped.
  expect(await sweepUnattempted(pool, { overdueMs: 0, batch: 10 })).toEqual({
    kind: "swept",
    deferred: 1,
    more: false,
  })
})

test("a delivery that is old by Postgres's clock only, because that was set ahead, is checked later", async () => {
  const pool = await openTestPool()
  await insertOrphan(pool.sql, "old", hourMs)
  const now = Date.now()
  vi.spyOn(Date, "now").mockReturnValue(now - hourMs)
  onTestFinished(() => void vi.restoreAllMocks())
  const none = { kind: "swept", deferred: 0, more: false }
  expect(await sweepUnattempted(pool, { overdueMs: 300_000, batch: 10 })).toEqual(none)
  vi.spyOn(Date, "now").mockReturnValue(now + 2 * hourMs)
  expect(await sweepUnattempted(pool, { overdueMs: 2 * hourMs, batch: 10 })).toEqual(none)
  vi.restoreAllMocks()
  expect(await sweepUnattempted(pool, { overdueMs: 300_000, batch: 10 })).toEqual({ ...none, deferred: 1 })
})
