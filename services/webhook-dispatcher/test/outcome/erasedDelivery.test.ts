import { startReceiver } from "@sitewire/cli/receivers"
import { openPool } from "@sitewire/database"
import { deliveryRows } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { failsForLong, paid, scheduledForLong, startInstallation } from "../fixtures/testDispatcher.ts"
import { waitForStale } from "../fixtures/waitForStale.ts"

// What the console's erasure job does to a row.
const erase = [
  "delete from waiting_delivery",
  `update delivery set body = '', body_sha256 = '', state = 'erased', reference_key = null, site_key = null,
                       finished_at = coalesce(finished_at, now())`,
]
const eraseExcerpts = "update attempt set response_excerpt = null, request_headers = null"

const theRow = `select state, attempts, next_attempt_at, length(body) as bytes from ${deliveryRows}`

test("a retry of an erased delivery is dropped: nothing more is sent to the partner", async () => {
  await using it = await startInstallation({ retryDelaysMs: scheduledForLong })
  const partner = await startReceiver((_, response) => response.writeHead(503, failsForLong).end())
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the first attempt to be recorded", async () => {
    return (await it.sql("select from attempt")).length === 1
  })
  for (const statement of erase) await it.sql(statement)
  await it.publishRetry(await it.idOf(), 1)
  await waitForStale(dispatcher)
  // A duplicate of the event is not sent either.
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("the other delivery", () => partner.received.length >= 2)
  expect(partner.received.filter(({ body }) => body.includes("shop-1")).length).toBe(1)
  expect(await it.sql(`${theRow} where event_id = 'shop-1'`)).toEqual([
    { state: "erased", attempts: 1, next_attempt_at: null, bytes: 0 },
  ])
  await partner.close()
})

test("a delivery that is erased during an attempt stays erased, and the partner's response is not stored", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300] })
  const answer = Promise.withResolvers<void>()
  const partner = await startReceiver(async (request, response) => {
    const isFirst = request.headers["x-sitewire-attempt"] === "1"
    if (!isFirst) await answer.promise
    // Of the second attempts, one fails and would be retried, and the other is accepted.
    response.writeHead(isFirst || request.body.includes("shop-1") ? 500 : 200).end(request.body)
  })
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1"), paid("shop-2")])
  await waitUntil("both second attempts", () => partner.received.length === 4)

  // The erasure commits after the attempts have ended, so recording waits for it.
  const pool = openPool({ url: it.databaseUrl, size: 1, name: "erasure-test" })
  const erasing = await pool.driver.connect()
  await erasing.query("begin")
  for (const statement of erase) await erasing.query(statement)
  answer.resolve()
  await waitUntil("the recording to wait for the erasure", () =>
    dispatcher.output().includes("row is locked by another transaction"),
  )
  await erasing.query(eraseExcerpts)
  await erasing.query("commit")
  erasing.release()
  await pool.close()

  await waitUntil("the attempts to be recorded", async () => {
    return (await it.sql("select from attempt")).length === 4
  })
  const erased = { state: "erased", attempts: 2, next_attempt_at: null, bytes: 0 }
  expect(await it.sql(theRow)).toEqual([erased, erased])
  expect(
    await it.sql("select from attempt where response_excerpt is not null or request_headers is not null"),
  ).toEqual([])
  expect(partner.received.length).toBe(4)
  await partner.close()
})
