import type { Sql } from "@sitewire/database"
import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { type CheckedChannel, endExpired as check } from "./expire.ts"

const minute = 60_000
const ago = (minutes: number) => `now() - interval '${minutes} minutes'`
/** Deferred an hour ago, half an hour into its retry period. */
const deferred = (reason: string, more: Record<string, string> = {}) => ({
  attempts: "1",
  deferred_at: ago(60),
  deferred_reason: `'${reason}'`,
  period_started_at: ago(90),
  ...more,
})
const settings = { periodMs: 80 * minute }
/** `channel` could not be reached for so long until now. */
const unreachableFor = (sql: Sql, minutes: number, channel = "acme") =>
  sql(
    `insert into unreachable_channel values ($1, $2::int * 60000.0, now())
     on conflict (channel_id) do update set counted_ms = excluded.counted_ms`,
    [channel, minutes],
  )
const acme = [{ channel: "acme", from: 0 }]
const endExpired = async (sql: Sql, channels: CheckedChannel[], { periodMs }: typeof settings) =>
  (await check(sql, channels, { periodMs })).expired

test("the time in which the breaker was open counts, whatever the reason for the deferral", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  const forBreaker = await insert(deferred("breaker"))
  const forLackOfCapacity = await insert(deferred("busy"))
  await unreachableFor(sql, 45)
  expect(await endExpired(sql, acme, settings)).toEqual([])
  await unreachableFor(sql, 55)
  const expired = await endExpired(sql, acme, settings)
  expect(expired.map(({ delivery }) => delivery).toSorted()).toEqual(
    [forBreaker, forLackOfCapacity].toSorted(),
  )
})

test("an outage of all dispatchers ends no retry period, although the breaker opens again after it", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await insert(deferred("breaker", { deferred_at: ago(480), period_started_at: ago(510) }))
  await unreachableFor(sql, 1)
  expect(await endExpired(sql, acme, settings)).toEqual([])
})

test("only deliveries that expire are locked", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  const waits = await insert(deferred("breaker", { period_started_at: ago(61) }))
  const expires = await insert(deferred("breaker"))
  const other = await driver.connect()
  await other.query("begin")
  const inTransaction: typeof sql = async (text, values = []) => (await other.query(text, [...values])).rows
  await unreachableFor(sql, 59)
  const ended = await endExpired(inTransaction, acme, settings)
  const unlocked = await sql("select delivery_id as id from waiting_delivery for update skip locked")
  await other.query("rollback")
  other.release()
  expect(ended.map(({ delivery }) => delivery)).toEqual([expires])
  expect(unlocked).toEqual([{ id: waits }])
})

test("a delivery that another statement has locked is not waited for", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  const id = await insert(deferred("breaker"))
  const other = await driver.connect()
  await other.query("begin")
  await other.query("select from waiting_delivery where delivery_id = $1 for update", [id])
  await unreachableFor(sql, 59)
  const ending = endExpired(sql, acme, settings)
  const waited = new Promise((resolve) => setTimeout(resolve, 5_000, "it waits"))
  const outcome = await Promise.race([ending, waited])
  await other.query("rollback")
  other.release()
  await ending
  expect(outcome).toEqual([])
})

test("neither a pause nor a lease ends a retry period", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await insert(deferred("breaker"))
  await unreachableFor(sql, 59)
  const count = async () => (await endExpired(sql, acme, settings)).length
  await sql("update channel set paused_at = now()")
  expect(await count()).toBe(0)
  await sql("update channel set paused_at = null, resumed_at = now()")
  await sql("update waiting_delivery set lease_expires_at = now() + interval '1 minute'")
  expect(await count()).toBe(0)
  await sql("update waiting_delivery set lease_expires_at = null")
  expect(await count()).toBe(1)
})

test("an expired delivery is dead, and its death is recorded, unless it was delivered before", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const dies = await insert(deferred("breaker"))
  const delivered = await insert(deferred("breaker", { state: "'delivered'", finished_at: ago(120) }))
  const before = await row(delivered)
  await unreachableFor(sql, 59)
  const expired = await endExpired(sql, acme, settings)
  const of = (delivery: string) => expired.find((found) => found.delivery === delivery)
  expect(of(dies)).toMatchObject({ channel: "acme", correlation: "c", died: true })
  expect(of(delivered)).toMatchObject({ died: false })
  expect(await sql("select from waiting_delivery")).toEqual([])
  expect(await row(dies)).toMatchObject({ state: "dead", finished_at: expect.any(Date) })
  expect(await row(delivered)).toMatchObject({ state: "delivered", finished_at: before.finished_at })
  expect(
    await sql("select delivery_id, channel_id, attempts, error, status, published_at from ended_delivery"),
  ).toEqual([
    {
      delivery_id: dies,
      channel_id: "acme",
      attempts: 1,
      error: "not-attempted",
      status: null,
      published_at: null,
    },
  ])
})

test("one statement ends a limited number, however many deliveries of however many channels have expired", async () => {
  const { sql } = await startDeliveryDatabase()
  await sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at)
     select 'many-' || n, 'https://partner.example', 's', '', now() from generate_series(1, 20) n`,
  )
  await sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, attempts)
       select gen_random_uuid(), n::text, 'many-' || (1 + n % 20), '', '', 'c', 1 from generate_series(1, 1200) n
       returning id, channel_id
     )
     insert into waiting_delivery (delivery_id, channel_id, attempts, deferred_at, deferred_reason, period_started_at)
     select id, channel_id, 1, ${ago(60)}, 'breaker', ${ago(90)} from stored`,
  )
  const channels = Array.from({ length: 20 }, (_, at) => ({ channel: `many-${at + 1}`, from: 0 }))
  for (const { channel } of channels) await unreachableFor(sql, 59, channel)
  const end = async () => (await endExpired(sql, channels, settings)).length
  expect([await end(), await end(), await end(), await end()]).toEqual([500, 500, 200, 0])
})

test("what was counted before a deferral does not count for it", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await unreachableFor(sql, 300)
  await insert(deferred("breaker", { unreachable_ms: "250 * 60000.0" }))
  const first = await endExpired(sql, acme, { periodMs: 81 * minute })
  expect(first).toEqual([])
  expect(await endExpired(sql, acme, { periodMs: 79 * minute })).toHaveLength(1)
})
