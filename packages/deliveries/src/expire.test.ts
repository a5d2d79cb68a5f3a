import type { Sql } from "@sitewire/database"
import { expect, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { type CheckedChannel, endExpired as check } from "./expire.ts"

const ago = (minutes: number) => `now() - interval '${minutes} minutes'`
/** Deferred an hour ago, half an hour into its retry period. */
const deferred = {
  attempts: "1",
  deferred_at: ago(60),
  deferred_reason: "'breaker'",
  period_started_at: ago(90),
}
/** `channel` could not be reached for so long until now. */
const unreachableFor = (sql: Sql, minutes: number, channel = "acme") =>
  sql(
    `insert into unreachable_channel values ($1, $2::int * 60000.0, now())
     on conflict (channel_id) do update set counted_ms = excluded.counted_ms`,
    [channel, minutes],
  )
const endExpired = async (sql: Sql, channels: CheckedChannel[]) =>
  (await check(sql, channels, { periodMs: 80 * 60_000 })).expired

test("only deliveries that expire are locked", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  const waits = await insert({ ...deferred, period_started_at: ago(61) })
  const expires = await insert(deferred)
  const other = await driver.connect()
  await other.query("begin")
  const inTransaction: typeof sql = async (text, values = []) => (await other.query(text, [...values])).rows
  await unreachableFor(sql, 59)
  const ended = await endExpired(inTransaction, [{ channel: "acme", from: 0 }])
  const unlocked = await sql("select delivery_id as id from waiting_delivery for update skip locked")
  await other.query("rollback")
  other.release()
  expect(ended.map(({ delivery }) => delivery)).toEqual([expires])
  expect(unlocked).toEqual([{ id: waits }])
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
  const end = async () => (await endExpired(sql, channels)).length
  expect([await end(), await end(), await end(), await end()]).toEqual([500, 500, 200, 0])
})
