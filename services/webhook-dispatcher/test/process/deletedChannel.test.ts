import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import {
  failsForLong,
  paid,
  refusal,
  scheduledForLong,
  startInstallation,
} from "../fixtures/testDispatcher.ts"
import { waitForStale } from "../fixtures/waitForStale.ts"

test("after a channel's deletion nothing is sent to it, its waiting deliveries become dead with a dead letter, and its retry records block nothing", async () => {
  await using it = await startInstallation({ retryDelaysMs: scheduledForLong })
  // One attempt is still in flight at the deletion, and then fails.
  const deleted = Promise.withResolvers<void>()
  const partner = await startReceiver(async ({ body }, response) => {
    if (!body.includes('"reference":"slow"')) return void response.writeHead(503, failsForLong).end()
    await deleted.promise
    response.writeHead(500).end()
  })
  const other = await startReceiver()
  await it.channel("gone", partner.url)
  await it.channel("other", other.url)
  const letters = await it.read(it.names.dead)
  const invalid = await it.read(it.names.sitePaidInvalid)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("scheduled", { channel: "gone" })])
  await waitUntil("a failed attempt", async () => (await it.sql("select from attempt")).length === 1)
  await it.publishPaid([paid("in-flight", { channel: "gone", reference: "slow" })])
  await waitUntil("an attempt in flight", () => partner.received.length === 2)
  // A paused channel defers.
  await it.pause("gone")
  await it.publishPaid([paid("deferred", { channel: "gone" })])
  await waitUntil("a deferral", async () => {
    return (await it.count("deferred_reason = 'paused'")) === 1
  })
  const before = partner.received.length

  // As the console does.
  await it.sql(
    "with gone as (delete from channel where id = 'gone' returning id) insert into deleted_channel select id from gone",
  )
  await it.publishPaid([paid("too-late", { channel: "gone" }), paid("goes-on", { channel: "other" })])
  await waitUntil("an invalid event", () => invalid.length === 1)
  expect(refusal(invalid[0])).toBe("unknown channel")
  await waitUntil("another channel's delivery", () => other.received.length === 1)
  deleted.resolve()
  await waitUntil("the attempt in flight to be recorded", async () => {
    return (await it.count("channel_id = 'gone' and attempts = 1")) === 2
  })
  // Longer ago than an attempt takes at most.
  await it.sql("update deleted_channel set deleted_at = now() - interval '30 seconds'")
  await waitUntil("all to be dead", async () => {
    return (await it.count("state = 'dead' and dead_reason = 'channel_deleted'")) === 3
  })
  expect(partner.received).toHaveLength(before)
  await waitUntil("the dead letters", () => letters.length === 3)
  for (const { value } of letters)
    expect(JSON.parse(String(value))).toMatchObject({ channel: "gone", last_error: "channel-deleted" })
  await waitForStale(dispatcher)
  await Promise.all([partner.close(), other.close()])
})
