import { startReceiver } from "@sitewire/cli/receivers"
import { deliveryRows, insertDelivery } from "@sitewire/deliveries/fixtures/deliverySql"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { closeDatabase } from "../fixtures/closeDatabase.ts"
import { paid, startInstallation, type TestInstallation } from "../fixtures/testDispatcher.ts"

let it: TestInstallation
let partner: Awaited<ReturnType<typeof startReceiver>>

/** Publishes to one partition, whose offsets must not be committed; those of the other partition are. */
function publishTogether(channels: string[]) {
  const events = channels.map((channel) => paid(`event-of-${channel}`, { channel }))
  const topic = it.names.sitePaid
  return it.publish(events.map((event) => ({ topic, key: "one partition", value: JSON.stringify(event) })))
}

/**
 * A dispatcher is killed in an outage of the database, when it has ended two attempts, has a delivery to defer, and has
 * committed the records that it considers done.
 */
beforeAll(async () => {
  it = await startInstallation({ retryDelaysMs: [60_000] })
  const pendingResponses: (() => void)[] = []
  let respondsAtOnce = false
  partner = await startReceiver(({ path }, response) => {
    if (respondsAtOnce) response.writeHead(204).end()
    else if (path !== "/busy")
      pendingResponses.push(() => response.writeHead(path === "/fails" ? 500 : 204).end())
  })
  for (const channel of ["succeeds", "fails", "busy"]) await it.channel(channel, `${partner.url}/${channel}`)
  // Deferred in its row, so its record blocks no partition. Its attempt uses the channel's only permit.
  const resend = { deferred_at: "now()", deferred_reason: "'resend'", failures: "0" }
  await insertDelivery(it.sql, { event_id: "'before'", channel_id: "'busy'", ...resend })
  const first = await it.process({
    CHANNEL_MAX_CONCURRENCY: "1",
    CHANNEL_MAX_WAIT: "6s",
    DELIVERY_TIMEOUT: "60s",
  })
  const get = async (path: string) => (await fetch(`${first.addresses.ops}${path}`)).text()
  await waitUntil("the attempt that uses the permit", () => partner.received.length === 1)
  await publishTogether(["succeeds", "fails", "busy"])
  await waitUntil("an attempt for each other channel", () => pendingResponses.length === 2)
  await waitUntil("the event that waits for the permit", async () =>
    /^sitewire_site_paid_total\{outcome="accepted".*\} 3$/m.test(await get("/metrics")),
  )
  const database = await closeDatabase(it.databaseUrl)
  for (const respond of pendingResponses) respond()
  await waitUntil("the dispatcher to notice that it cannot store deliveries", async () =>
    (await get("/readyz")).includes("store deliveries"),
  )
  // Invalid records are done without the database, in both partitions.
  const keys = Array.from({ length: 20 }, (_, at) => `${at}`)
  await it.publish(keys.map((key) => ({ topic: it.names.sitePaid, key, value: "not an event" })))
  await waitUntil("them to be done", () => first.output().split("is invalid").length > keys.length)
  await waitUntil("the other partition's offsets to be committed", async () =>
    /^sitewire_site_paid_lag_records\{.*\} 0$/m.test(await get("/metrics")),
  )
  await first.end("SIGKILL")
  respondsAtOnce = true
  await database.open()
  // As if the lease of the claimed delivery had ended.
  await it.sql("update waiting_delivery set lease_expires_at = now() where lease_expires_at is not null")
  await it.dispatcher()
  await waitUntil("all deliveries", async () => (await it.count("state = 'delivered'")) === 4)
})
afterAll(async () => {
  await partner.close()
  await it[Symbol.asyncDispose]()
})

const rowsOf = (channel: string) =>
  it.sql(`select state, attempts, deferred_at, next_attempt_at from ${deliveryRows} where channel_id = $1`, [
    channel,
  ])
const delivered = { state: "delivered", attempts: 1, deferred_at: null, next_attempt_at: null }
const received = (channel: string) => partner.received.filter(({ path }) => path === `/${channel}`).length

test.each(["succeeds", "fails"])(
  "an attempt that a killed dispatcher could not record in an outage of the database is made again, and recorded: one that %s",
  async (channel) => {
    expect(await rowsOf(channel)).toEqual([delivered])
    const attempts =
      "select number, status from attempt join delivery on id = delivery_id where channel_id = $1"
    expect(await it.sql(attempts, [channel])).toEqual([{ number: 1, status: 204 }])
    expect(received(channel)).toBe(2)
  },
)

test("a delivery that a killed dispatcher could not defer in an outage of the database is delivered by the next one", async () => {
  expect(await rowsOf("busy")).toEqual([delivered, delivered])
  // The attempt that used the permit was in flight at the kill.
  expect(received("busy")).toBe(3)
})
