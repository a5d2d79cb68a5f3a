import { startReceiver } from "@sitewire/cli/receivers"
import { lowestDeliveryId } from "@sitewire/contracts"
import { deliveryRows, insertDelivery } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

const hourMs = 3_600_000

/** Inserts a delivery whose retry is due, and whose record is lost. */
async function insertOrphan(sql: TestInstallation["sql"], event: string, ageMs: number): Promise<string> {
  const id = `${lowestDeliveryId(Date.now() - ageMs).slice(0, 24)}${Buffer.from(event).toString("hex").padStart(12, "0").slice(-12)}`
  const then = `now() - ${ageMs} * interval '1 millisecond'`
  const attempted = { attempts: "1", created_at: then, next_attempt_at: then }
  return insertDelivery(sql, { id: `'${id}'`, event_id: `'${event}'`, ...attempted })
}

const states = (it: TestInstallation) =>
  it.sql(
    `select event_id, state, attempts, deferred_at, next_attempt_at from ${deliveryRows} order by event_id`,
  )

test("scheduled deliveries are sent although their records are lost", async () => {
  await using it = await startInstallation({ retryDelaysMs: [400] })
  let fails = true
  const partner = await startReceiver((_, response) => response.writeHead(fails ? 500 : 204).end())
  await it.channel("acme", partner.url)
  const first = await it.dispatcher()
  await it.publishPaid([paid("scheduled")])
  await waitUntil("a failed attempt", () => partner.received.length > 0)
  expect(await first.stop()).toBe(0)
  fails = false
  // As if the topic had been deleted: with another id, the row has no record.
  const [{ attempts } = { attempts: 0 }] = await it.sql<{ attempts: number }>("select attempts from delivery")
  const moved = lowestDeliveryId(Date.now() - hourMs)
  await it.sql("update delivery set id = $1, event_id = 'moved'", [moved])
  await it.sql("update waiting_delivery set delivery_id = $1", [moved])
  await insertOrphan(it.sql, "older", hourMs)

  const dispatcher = await it.dispatcher({})
  const delivered = { state: "delivered", deferred_at: null, next_attempt_at: null }
  await waitUntil("both", async () => (await states(it)).every(({ state }) => state === "delivered"))
  expect(await states(it)).toEqual([
    { event_id: "moved", attempts: attempts + 1, ...delivered },
    { event_id: "older", attempts: 2, ...delivered },
  ])
  const metrics = await dispatcher.metrics()
  expect(metrics).toMatch(/^sitewire_deliveries_deferred_total\{reason="overdue".*\} 2$/m)
  await partner.close()
})

test("deliveries scheduled with other RETRY_DELAYS, whose topics are no longer consumed, are sent", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300, 60_000] })
  let fails = true
  const partner = await startReceiver((_, response) => response.writeHead(fails ? 500 : 204).end())
  await it.channel("acme", partner.url)
  const first = await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("it to wait for the longer delay", async () => {
    return (await it.count("attempts = 2 and next_attempt_at is not null")) === 1
  })
  expect(await first.stop()).toBe(0)
  fails = false
  await it.sql("update waiting_delivery set next_attempt_at = now() - interval '1 hour'")
  await it.dispatcher({ RETRY_DELAYS: "300ms" })
  await waitUntil("the delivery", () => partner.received.length === 3)
  await partner.close()
})

test("a pending delivery older than the retention is sent, and then deleted", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await insertOrphan(it.sql, "ancient", 48 * hourMs)
  await it.dispatcher({ RETENTION: "24s" })
  await waitUntil("the delivery", () => partner.received.length === 1)
  await waitUntil("its row to go", async () => (await it.count()) === 0)
  await partner.close()
})
