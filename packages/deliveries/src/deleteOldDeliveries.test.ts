import { makeDays, openPool, readDaysAhead } from "@sitewire/database"
import { freshDatabase, waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { insertAged } from "../test/fixtures/insertAged.ts"
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

test("deliveries of days without partitions are deleted one by one with their attempts, in small batches; those that wait are retained", async () => {
  const pool = await database()
  await insertAged(pool.sql, { days: 40, count: 250, state: "delivered" })
  await insertAged(pool.sql, { days: 31, count: 100, state: "dead" })
  await insertAged(pool.sql, { days: 32, count: 5, state: "erased" })
  await insertAged(pool.sql, { days: 50, count: 7, state: "pending", dueIn: 1 })
  await insertAged(pool.sql, { days: 29, count: 20, state: "delivered" })
  await insertAged(pool.sql, { days: 44, count: 1, state: "pending" })
  // These wait for an attempt. The poll defers them if they are overdue.
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
  expect(outcome).toEqual({
    kind: "finished",
    events: 355,
    days: 0,
    deliveries: 355,
    attempts: 710,
  })
  expect(await counts(pool.sql)).toEqual({ deliveries: 45, attempts: 90 })
  for (const { size } of await pool.sql<{ size: number }>("select size from seen")) sizes.push(size)
  expect(Math.max(...sizes)).toBe(100)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(355 + 710)
})

/** Only locks of this database: other tests hold some in theirs. */
async function isDeleting(sql: Sql): Promise<boolean> {
  const held = await sql(
    `select from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and granted and datname = current_database()`,
  )
  return held.length > 0
}

test("one dispatcher deletes at a time, even during another's pauses, and the next run deletes the rest", async () => {
  const pool = await database()
  await insertAged(pool.sql, { days: 40, count: 60, state: "delivered" })
  const stop = new AbortController()
  const settings = { pool, before: thirtyDays, batch: 50, signal: stop.signal }
  const first = deleteOldDeliveries({ ...settings, pauseMs: 60_000 })
  await waitUntil("the lock", () => isDeleting(pool.sql))
  expect(await deleteOldDeliveries({ ...settings, pauseMs: 1 })).toEqual({
    kind: "busy",
    events: 0,
    days: 0,
    deliveries: 0,
    attempts: 0,
  })
  stop.abort()
  expect(await first).toEqual({ kind: "busy", events: 50, days: 0, deliveries: 50, attempts: 0 })
  const { signal } = new AbortController()
  expect(await deleteOldDeliveries({ ...settings, pauseMs: 1, signal })).toEqual({
    kind: "finished",
    events: 10,
    days: 0,
    deliveries: 10,
    attempts: 120,
  })
})

const day = (daysAgo: number) => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10)
const dayTables = async (sql: Sql) =>
  (
    await sql<{ name: string }>(
      "select relname as name from pg_class where relkind = 'r' and relname ~ '^(delivery|attempt)_[0-9]{8}$' order by 1",
    )
  ).map(({ name }) => name)
const tablesOf = (...daysAgo: number[]) => {
  const days = daysAgo.map((days) => day(days).replaceAll("-", ""))
  return [...days.map((day) => `attempt_${day}`), ...days.map((day) => `delivery_${day}`)].sort()
}

test("old days are dropped with their deliveries and attempts; one in which a delivery waits keeps that delivery alone, until it is over", async () => {
  const pool = await database()
  await pool.sql("select make_days($1, $2)", [day(45), day(28)])
  await insertAged(pool.sql, { days: 40, count: 20, state: "delivered" })
  await insertAged(pool.sql, { days: 35, count: 10, state: "delivered" })
  await insertAged(pool.sql, { days: 35, count: 1, state: "pending", dueIn: 1 })
  await insertAged(pool.sql, { days: 29, count: 5, state: "delivered" })
  const remove = () =>
    deleteOldDeliveries({
      pool,
      before: thirtyDays,
      batch: 7,
      pauseMs: 1,
      signal: new AbortController().signal,
    })
  // The day of 30 days ago has not ended 30 days ago.
  expect(await remove()).toEqual({ kind: "finished", events: 30, days: 14, deliveries: 10, attempts: 20 })
  const left = (await dayTables(pool.sql)).filter((name) => name.slice(-8) <= day(28).replaceAll("-", ""))
  expect(left).toEqual(tablesOf(35, 30, 29, 28))
  expect(await counts(pool.sql)).toEqual({ deliveries: 6, attempts: 12 })
  expect(await pool.sql("select from known_event")).toHaveLength(6)

  await pool.sql("update delivery set state = 'cancelled' where state = 'pending'")
  await pool.sql("delete from waiting_delivery")
  expect(await remove()).toMatchObject({ kind: "finished", events: 1, days: 1 })
  expect(await counts(pool.sql)).toEqual({ deliveries: 5, attempts: 10 })
})

test("no event stays known whose delivery stopped waiting while its day's events were forgotten", async () => {
  const pool = await database()
  await pool.sql("select make_days($1, $1)", [day(35)])
  await insertAged(pool.sql, { days: 35, count: 3, state: "dead", dueIn: 1 })
  await insertAged(pool.sql, { days: 35, count: 200, state: "delivered" })
  const { signal } = new AbortController()
  const settings = { pool, before: thirtyDays, batch: 10, signal }
  const known = async () => (await pool.sql("select from known_event")).length
  const first = deleteOldDeliveries({ ...settings, pauseMs: 50 })
  await waitUntil("events to be forgotten", async () => (await known()) < 190)
  await pool.sql("delete from waiting_delivery")
  await first
  // A drop gives up while others, such as autovacuum, use the table.
  await waitUntil("the day to be dropped", async () => {
    await deleteOldDeliveries({ ...settings, pauseMs: 1 })
    return (await counts(pool.sql))?.deliveries === 0
  })
  expect(await counts(pool.sql)).toEqual({ deliveries: 0, attempts: 0 })
  expect(await known()).toBe(0)
})

test("a day is dropped only if no delivery was stored in it since its events began to be forgotten", async () => {
  const pool = await database()
  await pool.sql("select make_days($1, $1)", [day(35)])
  await insertAged(pool.sql, { days: 35, count: 20_000, state: "delivered" })
  const [table = ""] = tablesOf(35).slice(1)
  await pool.sql(
    `update ${table} set stored_at = stored_at + interval '1 hour' where id = (select id from ${table} order by id desc limit 1)`,
  )
  // As autovacuum does it, and nobody reads what a statement has just inserted.
  await pool.sql(`select brin_summarize_new_values('${table}_stored_at_idx')`)
  const client = await pool.driver.connect()
  const drop = async (storedAfter: Date) => {
    const { rows } = await client.query("select drop_delivery_day($1, $2) as dropped", [day(35), storedAfter])
    return rows[0]?.dropped
  }
  const rowsRead = async () => {
    const { rows } = await client.query(
      `select seq_tup_read::int + idx_tup_fetch::int as read from pg_stat_xact_user_tables where relname = '${table}'`,
    )
    return Number(rows[0]?.read)
  }
  try {
    await client.query("begin")
    const readBefore = await rowsRead()
    expect(await drop(new Date(now - 35 * dayMs + 60_000))).toBe(false)
    expect((await rowsRead()) - readBefore).toBeLessThan(4_000)
    await client.query("commit")
    expect(await drop(thirtyDays)).toBe(true)
    expect(await drop(thirtyDays)).toBe(false)
  } finally {
    client.release()
  }
})

test("a day is not dropped if a resend is requested while the drop waits for its table", async () => {
  const pool = await database()
  await pool.sql("select make_days($1, $1)", [day(35)])
  await insertAged(pool.sql, { days: 35, count: 1, state: "delivered" })
  const [row] = await pool.sql<{ source: string }>(
    "select pg_get_functiondef('drop_delivery_day'::regproc) as source",
  )
  // The test must commit while the drop waits.
  await pool.sql(row?.source.replace("'100ms'", "'30s'") ?? "")
  const resending = await pool.driver.connect()
  await resending.query("begin")
  await resending.query("select from delivery for update")
  await resending.query(
    `insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason)
     select id, channel_id, attempts, now(), 'resend' from delivery`,
  )
  const dropping = pool.sql("select drop_delivery_day($1, $2) as dropped", [day(35), thirtyDays])
  await waitUntil("the drop to wait", async () => {
    const waiting = await pool.sql(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
    return waiting.length === 1
  })
  await resending.query("commit")
  resending.release()
  expect(await dropping).toEqual([{ dropped: false }])
})

test("an event that was forgotten and published again stays known, although its old delivery is still stored", async () => {
  const pool = await database()
  await pool.sql("select make_days($1, $2)", [day(35), day(35)])
  await insertAged(pool.sql, { days: 35, count: 3, state: "delivered" })
  const newer = { delivery_id: "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b" }
  await pool.sql(
    "update known_event set delivery_id = $1 where event_id = (select min(event_id) from known_event)",
    [newer.delivery_id],
  )
  const { signal } = new AbortController()
  await deleteOldDeliveries({ pool, before: thirtyDays, batch: 7, pauseMs: 1, signal })
  expect(await pool.sql("select delivery_id from known_event")).toEqual([newer])
})

test("a day that a long query reads is not dropped meanwhile, and delays no new delivery", async () => {
  const pool = await database()
  await pool.sql("select make_days($1, $2)", [day(32), day(32)])
  await insertAged(pool.sql, { days: 32, count: 3, state: "delivered" })
  const reading = await pool.driver.connect()
  await reading.query("begin")
  await reading.query("select count(*) from delivery")
  const { signal } = new AbortController()
  const remove = () => deleteOldDeliveries({ pool, before: thirtyDays, batch: 10, pauseMs: 1, signal })
  const removing = remove()
  await insertAged(pool.sql, { days: 0, count: 1, state: "delivered" })
  expect(await removing).toMatchObject({ kind: "busy", days: 0 })
  expect(await counts(pool.sql)).toEqual({ deliveries: 4, attempts: 8 })
  await reading.query("commit")
  reading.release()
  // Postgres reports an error a moment before it releases the locks of the transaction.
  await waitUntil("the first one to end", async () => !(await isDeleting(pool.sql)))
  expect(await remove()).toMatchObject({ kind: "finished", days: 1 })
  expect(await counts(pool.sql)).toEqual({ deliveries: 1, attempts: 2 })
})

test("the next days are made, by several dispatchers at once too, and deliveries are stored in their day", async () => {
  const pool = await database()
  await Promise.all([makeDays(pool.sql), makeDays(pool.sql), makeDays(pool.sql)])
  await makeDays(pool.sql)
  expect(await dayTables(pool.sql)).toEqual(expect.arrayContaining(tablesOf(0, -1, -2, -3, -4, -5, -6, -7)))
  await insertAged(pool.sql, { days: -3, count: 1, state: "delivered" })
  const [row] = await pool.sql("select tableoid::regclass::text as day from delivery")
  expect(row).toEqual({ day: tablesOf(-3)[1] })
})

test("a day of which a delivery was stored before it was made is left out, and the days after it are made", async () => {
  const pool = await database()
  await insertAged(pool.sql, { days: -4, count: 1, state: "delivered" })
  await makeDays(pool.sql)
  const made = await dayTables(pool.sql)
  expect(made).toEqual(expect.arrayContaining(tablesOf(-3, -5, -6, -7)))
  expect(made.filter((name) => tablesOf(-4).includes(name))).toEqual([])
})

test("days that a restored backup did not have are made", async () => {
  const pool = await database()
  await makeDays(pool.sql)
  // As if the newest day were of ten days ago.
  for (const name of await dayTables(pool.sql)) await pool.sql(`drop table ${name}`)
  await pool.sql("select make_days($1, $1)", [day(10)])
  await makeDays(pool.sql)
  const made = Array.from({ length: 18 }, (_, index) => 10 - index)
  expect(await dayTables(pool.sql)).toEqual(tablesOf(...made))
})

test("a day that cannot be made stops no other", async () => {
  const pool = await database()
  const [delivery] = tablesOf(-4).slice(1)
  // A table also makes a type of its name.
  await pool.sql(`create type ${delivery} as enum ()`)
  await expect(makeDays(pool.sql)).rejects.toThrow(`type "${delivery}" already exists`)
  const made = await dayTables(pool.sql)
  expect(made).toEqual(expect.arrayContaining(tablesOf(-3, -5, -6, -7)))
  expect(made).not.toContain(delivery)
  expect(await readDaysAhead(pool.sql)).toBe(3)
  await pool.sql(`drop type ${delivery}`)
  await makeDays(pool.sql)
  expect(await readDaysAhead(pool.sql)).toBe(7)
})

test("a day of which only an attempt is stored is made neither for deliveries nor for attempts", async () => {
  const pool = await database()
  await insertAged(pool.sql, { days: -4, count: 1, state: "delivered" })
  await pool.sql("delete from delivery")
  await makeDays(pool.sql)
  const made = await dayTables(pool.sql)
  expect(made).toEqual(expect.arrayContaining(tablesOf(-3, -5)))
  expect(made.filter((name) => tablesOf(-4).includes(name))).toEqual([])
  await pool.sql("delete from attempt")
  await makeDays(pool.sql)
  expect(await dayTables(pool.sql)).toEqual(expect.arrayContaining(tablesOf(-4)))
})

test("days without tables for syncs are missing, and are made", async () => {
  const pool = await database()
  await makeDays(pool.sql)
  const tables = await pool.sql<{ name: string }>(
    "select relname as name from pg_class where relkind = 'r' and relname ~ '^sync_run_[0-9]{8}$'",
  )
  for (const { name } of tables) await pool.sql(`drop table ${name}`)
  expect(await readDaysAhead(pool.sql)).toBe(0)
  await makeDays(pool.sql)
  expect(await readDaysAhead(pool.sql)).toBe(7)
})
