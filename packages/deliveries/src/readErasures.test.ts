import { clockMarginMs } from "@sitewire/contracts"
import { openPool, type Pool } from "@sitewire/database"
import { type FreshDatabase, freshDatabase } from "@sitewire/testkit"
import { afterEach, beforeEach, expect, test } from "vitest"
import { addErasure, sealingKeys } from "../test/fixtures/addErasure.ts"
import { readErasures } from "./lookUp.ts"

const email = "owner@shop.example"
const about = (fields: object) => Buffer.from(JSON.stringify({ reference: "r", ...fields }))
const ever = new Date(0)

let database: FreshDatabase
let pool: Pool
beforeEach(async () => {
  database = await freshDatabase()
  pool = openPool({ url: database.url, size: 1, name: "erasure-test" })
})
afterEach(async () => {
  await pool.close()
  await database.drop()
})

test("an event is covered by an erasure of its person or site that was, or may have been, requested after the event", async () => {
  const at = new Date("2026-11-01T12:00:00Z")
  await addErasure(pool.sql, { email }, at)
  await addErasure(pool.sql, { site_url: "https://shop.example/" }, at)
  const erasures = await readErasures({ sql: pool.sql, sealingKeys }, ever)
  const latest = at.getTime() + clockMarginMs
  for (const fields of [{ email: "Owner@SHOP.example" }, { site_url: "https://shop.example" }]) {
    expect(erasures.covers(about(fields), latest - 1)).toBe(true)
    expect(erasures.covers(about(fields), 0)).toBe(true)
    expect(erasures.covers(about(fields), latest)).toBe(false)
  }
  expect(erasures.covers(about({ email: "other@shop.example" }), 0)).toBe(false)
  // An unreadable record may name anybody.
  expect(erasures.covers(Buffer.from('{"email":'), latest - 1)).toBe(true)
  expect(erasures.covers(Buffer.from('{"email":'), latest)).toBe(false)
})

test("the newest erasure of a person counts; cancelled erasures and those before `since` do not", async () => {
  const hours = (n: number) => new Date(Date.parse("2026-11-01T00:00:00Z") + n * 3_600_000)
  await addErasure(pool.sql, { email }, hours(1))
  await addErasure(pool.sql, { email }, hours(3))
  await addErasure(pool.sql, { email: "other@shop.example" }, hours(5), "cancelled")
  const covers = async (since: Date, address: string, at: Date) =>
    (await readErasures({ sql: pool.sql, sealingKeys }, since)).covers(
      about({ email: address }),
      at.getTime(),
    )
  expect(await covers(ever, email, hours(2))).toBe(true)
  expect(await covers(hours(3), email, hours(2))).toBe(true)
  expect(await covers(hours(4), email, hours(2))).toBe(false)
  expect(await covers(ever, "other@shop.example", hours(2))).toBe(false)
})

test("without erasures nothing is covered, and each request and cancellation changes the version of the list", async () => {
  const read = () => readErasures({ sql: pool.sql, sealingKeys }, ever)
  const none = await read()
  expect(none.covers(about({ email }), 0)).toBe(false)
  expect(none.covers(Buffer.from("not JSON"), 0)).toBe(false)
  const id = await addErasure(pool.sql, { email }, new Date())
  const requested = await read()
  expect(requested.covers(about({ email }), Date.now())).toBe(true)
  await pool.sql("update job set state = 'running', position = '{}' where id = $1", [id])
  expect((await read()).version).toBe(requested.version)
  await pool.sql("update job set state = 'cancelled' where id = $1", [id])
  const cancelled = await read()
  expect(cancelled.covers(about({ email }), Date.now())).toBe(false)
  expect(new Set([none, requested, cancelled].map(({ version }) => version)).size).toBe(3)
})

test("reading the list scans recent erasures only, even among many other jobs", async () => {
  await pool.sql(
    `insert into job (id, kind, state, filter, reason, requested_by)
     select 'job_' || n, 'resend', 'done', '{}', 'r', 'k' from generate_series(1, 20000) as n`,
  )
  await addErasure(pool.sql, { email }, new Date())
  await pool.sql("vacuum analyze job")
  const reads = async () => {
    await pool.sql("select pg_stat_force_next_flush()")
    const [row] = await pool.sql<{ tuples: string }>(
      "select seq_tup_read + idx_tup_fetch as tuples from pg_stat_user_tables where relname = 'job'",
    )
    return Number(row?.tuples)
  }
  const before = await reads()
  await readErasures({ sql: pool.sql, sealingKeys }, new Date(Date.now() - 86_400_000))
  expect((await reads()) - before).toBeLessThan(10)
})
