import { expect, onTestFinished, test } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { claimDeferred } from "./claim.ts"
import { forgetUnreachable, reportUnreachable } from "./reportUnreachable.ts"

async function startWithChannels(others: string[]) {
  const it = await startDeliveryDatabase()
  await it.sql(
    `insert into channel (id, address, secret_id, secret_sealed, updated_at)
     select unnest($1::text[]), 'https://partner.example/', 'sec_1', '', now()`,
    [others],
  )
  const counted = () => it.sql("select channel_id, counted_ms from unreachable_channel order by channel_id")
  return { ...it, counted }
}

test("a channel that another transaction has locked delays neither reports about others nor their claims", async () => {
  const { sql, driver, insert, counted } = await startWithChannels(["bad", "new"])
  await sql("update channel set max_per_second = 10 where id in ('acme', 'bad')")
  const deferred = { deferred_at: "now()", deferred_reason: "'rate'" }
  const claim = async () => {
    for (const channel of ["acme", "bad"]) await insert({ ...deferred, channel_id: `'${channel}'` })
    const requests = ["acme", "bad"].map((channel) => ({ channel, limit: 10, from: 0 }))
    const claimed = await claimDeferred(sql, requests, { leaseMs: 60_000, attemptWithinMs: 60_000 })
    return claimed.map(({ channel }) => channel.id)
  }
  expect((await claim()).sort()).toEqual(["acme", "bad"])
  const open = ["acme", "bad", "new"].map((channel) => ({ channel, ms: 5_000 }))
  await reportUnreachable(sql, open.slice(0, 2))
  await sql("update unreachable_channel set seen_at = seen_at - interval '1 hour'")

  const other = await driver.connect()
  onTestFinished(() => other.release(true))
  await other.query("begin")
  await other.query("select from channel where id in ('bad', 'new') for update")
  await other.query("select from unreachable_channel where channel_id = 'bad' for update")
  await other.query("select from channel_rate where channel_id = 'bad' for update")
  await reportUnreachable(sql, open)
  expect(await counted()).toEqual([
    { channel_id: "acme", counted_ms: 10_000 },
    { channel_id: "bad", counted_ms: 5_000 },
    { channel_id: "new", counted_ms: 5_000 },
  ])
  expect(await claim()).toEqual(["acme"])
})

test("a count is deleted a day after the last report, but not while a deferred delivery contains it", async () => {
  const { sql, insert, counted } = await startWithChannels(["waits", "recent"])
  await insert({ channel_id: "'waits'", deferred_at: "now()", deferred_reason: "'busy'" })
  await reportUnreachable(
    sql,
    ["acme", "waits", "recent"].map((channel) => ({ channel, ms: 1 })),
  )
  await sql(
    "update unreachable_channel set seen_at = now() - interval '25 hours' where channel_id <> 'recent'",
  )
  await forgetUnreachable(sql)
  expect((await counted()).map(({ channel_id }) => channel_id)).toEqual(["recent", "waits"])
})
