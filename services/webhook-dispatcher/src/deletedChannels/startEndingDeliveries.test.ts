import type { Sql } from "@sitewire/database"
import { expect, onTestFinished, test } from "vitest"
import { startDeliveryDatabase } from "../../test/fixtures/deliveryDatabase.ts"
import { claimWaiting } from "./claimWaiting.ts"
import { endDeliveries } from "./endDeliveries.ts"
import { findDeletedChannels, finishDeletedChannel } from "./findDeletedChannels.ts"

const settings = { batch: 10, leaseMs: 0 }

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
  const claimed = await claimWaiting(sql, "acme", settings)
  expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set(Object.values(waiting)))
  expect(claimed.filter(({ isPending }) => isPending)).toHaveLength(2)
  await endDeliveries(sql, claimed)
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
  expect(await row(waiting.resent)).toMatchObject({
    state: "delivered",
    deferred_at: null,
    dead_reason: null,
  })
  expect(await row(delivered)).toMatchObject({ state: "delivered", dead_reason: null })
  expect(await row(inFlight)).toMatchObject({ state: "pending" })
  expect(await claimWaiting(sql, "acme", settings)).toEqual([])
})

test("a delivery that was delivered after the claim stays delivered", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const id = await insert({ next_attempt_at: "now()" })
  const claimed = await claimWaiting(sql, "acme", settings)
  await sql("update delivery set state = 'delivered'")
  await endDeliveries(sql, claimed)
  expect(await row(id)).toMatchObject({ state: "delivered", dead_reason: null })
})

test("a process that was stopped since its claim does not end a delivery that was resent meanwhile", async () => {
  const { sql, insert, row } = await startDeliveryDatabase()
  const id = await insert({ deferred_at: "now()", deferred_reason: "'busy'" })
  const stopped = await claimWaiting(sql, "acme", settings)
  await endDeliveries(sql, await claimWaiting(sql, "acme", { batch: 10, leaseMs: 30_000 }))
  expect(await row(id)).toMatchObject({ state: "dead" })
  await sql("update delivery set state = 'pending', deferred_at = now(), deferred_reason = 'resend'")
  await endDeliveries(sql, stopped)
  expect(await row(id)).toMatchObject({ state: "pending", deferred_reason: "resend" })
})

test("a batch reads neither all waiting deliveries of the channel nor the scheduled ones of others", async () => {
  const { sql, driver } = await startDeliveryDatabase()
  await sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, deferred_at, deferred_reason, next_attempt_at)
     select uuidv7(), n::text, case when n <= 2000 then 'acme' else 'other' end, '', '', 'c',
            case when n <= 2000 then now() end, case when n <= 2000 then 'busy'::deferral_reason end,
            case when n > 2000 then now() end
       from generate_series(1, 4000) n`,
  )
  await sql("analyze delivery")
  const session = await driver.connect()
  onTestFinished(() => session.release())
  const query: Sql = async (text, values = []) => (await session.query(text, [...values])).rows
  const rowsRead = async () => {
    await query("select pg_stat_force_next_flush()")
    const [row] = await query<{ read: number }>(
      "select (idx_tup_fetch + seq_tup_read)::int as read from pg_stat_user_tables where relname = 'delivery'",
    )
    return row?.read ?? 0
  }
  const before = await rowsRead()
  expect(await claimWaiting(query, "acme", settings)).toHaveLength(10)
  expect((await rowsRead()) - before).toBeLessThan(200)
})

test("a deleted channel is finished a minute after its deletion, and not while a delivery waits", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  await sql("insert into deleted_channel (id) values ('acme')")
  const found = () => findDeletedChannels(sql, { afterMs: 10_000 })
  expect(await found()).toEqual([])
  await sql("update deleted_channel set deleted_at = now() - interval '30 seconds'")
  await finishDeletedChannel(sql, "acme")
  expect(await found()).toEqual(["acme"])
  await sql("update deleted_channel set deleted_at = now() - interval '61 seconds'")
  await insert({ next_attempt_at: "now()" })
  await finishDeletedChannel(sql, "acme")
  expect(await found()).toEqual(["acme"])
  await endDeliveries(sql, await claimWaiting(sql, "acme", settings))
  await finishDeletedChannel(sql, "acme")
  expect(await found()).toEqual([])
})
