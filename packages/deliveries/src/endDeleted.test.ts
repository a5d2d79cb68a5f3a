import type { Sql } from "@sitewire/database"
import { expect, onTestFinished, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { endDeliveries, findDeletedChannels } from "./endDeleted.ts"

const settings = { batch: 10 }

test("of a deleted channel, deliveries that wait become dead, a resend of a delivered one ends, and others are unchanged", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const waiting = {
    scheduled: await insert({ attempts: "2", failures: "2", next_attempt_at: "now()" }),
    deferred: await insert({ deferred_at: "now()", deferred_reason: "'busy'" }),
    resent: await insert({ state: "'delivered'", deferred_at: "now()", deferred_reason: "'resend'" }),
  }
  const delivered = await insert({ state: "'delivered'" })
  const inFlight = await insert({
    deferred_at: "now()",
    deferred_reason: "'busy'",
    lease_expires_at: "now() + interval '1 minute'",
  })
  expect(await endDeliveries(sql, "acme", settings)).toBe(3)
  for (const id of [waiting.scheduled, waiting.deferred]) {
    expect(await row(id)).toMatchObject({
      state: "dead",
      dead_reason: "channel_deleted",
      finished_at: expect.any(Date),
      next_attempt_at: null,
      deferred_at: null,
      lease_expires_at: null,
    })
  }
  const died = await sql<{ delivery_id: string; error: string }>(
    "select delivery_id, error from ended_delivery",
  )
  expect(new Set(died.map(({ delivery_id }) => delivery_id))).toEqual(
    new Set([waiting.scheduled, waiting.deferred]),
  )
  expect(new Set(died.map(({ error }) => error))).toEqual(new Set(["channel-deleted"]))
  expect(await row(waiting.resent)).toMatchObject({
    state: "delivered",
    deferred_at: null,
    dead_reason: null,
  })
  expect(await row(delivered)).toMatchObject({ state: "delivered", dead_reason: null })
  expect(await row(inFlight)).toMatchObject({ state: "pending", deferred_at: expect.any(Date) })
  expect(await endDeliveries(sql, "acme", settings)).toBe(0)
})

test("neither the search nor a batch reads all waiting deliveries of the channel or of others", async () => {
  const { sql, driver } = await startDeliveryDatabase()
  await sql(
    `with stored as (
       insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
       select uuidv7(), n::text, case when n <= 2000 then 'acme' else 'other' end, '', '', 'c'
         from generate_series(1, 4000) n
       returning id, channel_id
     )
     insert into waiting_delivery (delivery_id, channel_id, attempts, next_attempt_at)
     select id, channel_id, 1, now() from stored`,
  )
  await sql("analyze waiting_delivery")
  const session = await driver.connect()
  onTestFinished(() => session.release())
  const query: Sql = async (text, values = []) => (await session.query(text, [...values])).rows
  const rowsRead = async () => {
    await query("select pg_stat_force_next_flush()")
    const [row] = await query<{ read: number }>(
      `select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as read from pg_stat_user_tables
        where relname ~ '^(waiting_)?delivery'`,
    )
    return row?.read ?? 0
  }
  const before = await rowsRead()
  await sql("insert into deleted_channel (id, deleted_at) values ('acme', now() - interval '1 minute')")
  expect(await findDeletedChannels(query)).toEqual(["acme"])
  expect(await endDeliveries(query, "acme", settings)).toBe(10)
  expect((await rowsRead()) - before).toBeLessThan(200)
})

test("what waits for a deleted channel is found, however long after the deletion it was stored", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await sql(
    "insert into deleted_channel (id, deleted_at) values ('acme', now() - interval '1 year'), ('new', now())",
  )
  const found = () => findDeletedChannels(sql)
  await insert({ state: "'delivered'" })
  expect(await found()).toEqual([])
  for (const channel of ["acme", "new", "used"])
    await insert({ channel_id: `'${channel}'`, next_attempt_at: "now()" })
  expect(await found()).toEqual(["acme", "new"])
  for (const channel of await found()) await endDeliveries(sql, channel, settings)
  expect(await found()).toEqual([])
})
