import { openPool } from "@sitewire/database"
import { freshDatabase, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { insertAged } from "../../test/fixtures/insertAged.ts"
import { deleteOldDeliveries } from "./deleteOldDeliveries.ts"

const dayMs = 86_400_000

const now = Date.now()

const thirtyDays = new Date(now - 30 * dayMs)

async function database() {
  const { url, drop } = await freshDatabase()
  const pool = openPool({ url, size: 4, name: "retention-test" })
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  return pool
}

type Sql = Awaited<ReturnType<typeof database>>["sql"]

const counts = async (sql: Sql) =>
  (
    await sql(
      `select (select count(*)::int from delivery) as deliveries, (select count(*)::int from attempt) as attempts`,
    )
  )[0]

test("deliveries older than the retention are deleted with their attempts, in small batches; those that wait are retained", async () => {
  const pool = await database()
  await insertAged(pool.sql, { days: 40, count: 250, state: "delivered" })
  await insertAged(pool.sql, { days: 31, count: 100, state: "dead" })
  await insertAged(pool.sql, { days: 32, count: 5, state: "erased" })
  await insertAged(pool.sql, { days: 50, count: 7, state: "pending" })
  await insertAged(pool.sql, { days: 29, count: 20, state: "delivered" })
  // These wait for an attempt. The sweep defers them if they are overdue.
  await insertAged(pool.sql, { days: 60, count: 6, state: "pending", dueIn: -45 })
  await insertAged(pool.sql, { days: 41, count: 3, state: "dead", dueIn: -1 })
  await insertAged(pool.sql, { days: 42, count: 2, state: "delivered", dueIn: 1 })
  await insertAged(pool.sql, { days: 70, count: 4, state: "dead", dueIn: -31 })
  // Deferred for a resend.
  await insertAged(pool.sql, { days: 43, count: 2, state: "delivered" })
  await pool.sql(
    `insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason)
     select id, channel_id, attempts, now(), 'resend' from delivery where event_id like '43-delivered-%'`,
  )
  const sizes: number[] = []
  await pool.sql("create table seen (size int)")
  await pool.sql(`create function note() returns trigger language plpgsql as
    $$ begin insert into seen select count(*) from gone; return null; end $$`)
  for (const table of ["delivery", "attempt"]) {
    await pool.sql(`create trigger note after delete on ${table} referencing old table as gone
      for each statement execute function note()`)
  }
  const { signal } = new AbortController()
  const outcome = await deleteOldDeliveries({ pool, before: thirtyDays, batch: 100, pauseMs: 1, signal })
  expect(outcome).toEqual({ kind: "finished", deliveries: 355, attempts: 710 })
  expect(await counts(pool.sql)).toEqual({ deliveries: 44, attempts: 88 })
  for (const { size } of await pool.sql<{ size: number }>("select size from seen")) sizes.push(size)
  expect(Math.max(...sizes)).toBe(100)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(355 + 710)
})

test("one dispatcher deletes at a time, even during another's pauses, and the next run deletes the rest", async () => {
  const pool = await database()
  await insertAged(pool.sql, { days: 40, count: 60, state: "delivered" })
  const stop = new AbortController()
  const settings = { pool, before: thirtyDays, batch: 50, signal: stop.signal }
  const first = deleteOldDeliveries({ ...settings, pauseMs: 60_000 })
  await waitUntil("the lock", async () => {
    const held = await pool.sql("select from pg_locks where locktype = 'advisory' and granted")
    return held.length > 0
  })
  expect(await deleteOldDeliveries({ ...settings, pauseMs: 1 })).toEqual({
    kind: "busy",
    deliveries: 0,
    attempts: 0,
  })
  stop.abort()
  expect(await first).toEqual({ kind: "busy", deliveries: 50, attempts: 0 })
  const { signal } = new AbortController()
  expect(await deleteOldDeliveries({ ...settings, pauseMs: 1, signal })).toEqual({
    kind: "finished",
    deliveries: 10,
    attempts: 120,
  })
})
