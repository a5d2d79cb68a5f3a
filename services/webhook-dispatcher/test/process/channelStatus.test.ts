import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("each dispatcher reports its unusual channels, deletes reports that no longer hold, and forgets deleted channels", async () => {
  await using it = await startInstallation()
  let fails = true
  const partner = await startReceiver((_, response) => response.writeHead(fails ? 500 : 204).end())
  const broken = await startReceiver((_, response) => response.writeHead(500).end())
  await it.channel("acme", partner.url)
  const quick = await startReceiver()
  await it.channel("quick", quick.url)
  await it.channel("broken", broken.url)
  const variables = { BREAKER_FAILURES: "2", BREAKER_COOLDOWN: "200ms" }
  const dispatcher = await it.dispatcher(variables)
  const dispatchers = () => it.sql("select id from dispatcher")
  // A dispatcher that was killed leaves its row; one that stops deletes it.
  await it.sql("insert into dispatcher select 'killed', now(), now() - interval '2 minutes'")
  await waitUntil("the killed one to be deleted", async () => {
    const ids = (await dispatchers()).map(({ id }) => id)
    return ids.length === 1 && !ids.includes("killed")
  })

  await it.publishPaid([
    ...[1, 2, 3].map((at) => paid(`shop-${at}`)),
    ...[1, 2, 3].map((at) => paid(`broken-${at}`, { channel: "broken" })),
    paid("quick", { channel: "quick" }),
  ])
  const open = () =>
    it.sql("select channel_id, failures from channel_status where breaker_opened_at is not null order by 1")
  const found = await waitUntil("two open breakers", async () => {
    const rows = await open()
    return rows.length === 2 && rows
  })
  expect(found.map((row) => row.channel_id)).toEqual(["acme", "broken"])
  expect(Number(found[0]?.failures)).toBeGreaterThanOrEqual(2)

  fails = false
  // As the console does.
  await it.sql(
    "with gone as (delete from channel where id = 'broken' returning id) delete from channel_status using gone where channel_id = gone.id",
  )
  await waitUntil("only failures and deletions to be gone", async () => {
    return (await it.sql("select from channel_status where channel_id <> 'acme'")).length === 0
  })
  await waitUntil("the breaker to close", async () => (await open()).length === 0)
  expect(await dispatcher.stop()).toBe(0)
  // The last one leaves its row.
  expect(await dispatchers()).toHaveLength(1)
  await Promise.all([partner.close(), broken.close(), quick.close()])
})

test("a first attempt that takes long is reported as in flight before its delivery is stored", async () => {
  await using it = await startInstallation()
  const respond = Promise.withResolvers<void>()
  const partner = await startReceiver((_, response) => respond.promise.then(() => void response.end()))
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop")])
  await waitUntil("the report", async () => {
    const [row] = await it.sql(
      "select in_flight, (select count(*)::int from delivery) as stored from channel_status",
    )
    return row?.in_flight === 1 && row.stored === 0
  })
  respond.resolve()
  await waitUntil("the delivery, and the end of the report", async () => {
    const reports = await it.sql("select from channel_status where in_flight > 0")
    return (
      reports.length === 0 && (await it.sql("select from delivery where state = 'delivered'")).length === 1
    )
  })
  expect(await dispatcher.stop()).toBe(0)
  await partner.close()
})
