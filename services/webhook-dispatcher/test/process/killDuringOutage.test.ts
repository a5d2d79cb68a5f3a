import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { closeDatabase } from "../fixtures/closeDatabase.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

type Installation = Awaited<ReturnType<typeof startInstallation>>
type Dispatcher = Awaited<ReturnType<Installation["dispatcher"]>>

/** Publishes to one partition, whose offsets must not be committed; those of the other partition are. */
function publishTogether(it: Installation, channels: string[]) {
  const events = channels.map((channel, at) => paid(`event-${at}`, { channel }))
  const topic = it.names.sitePaid
  return it.publish(events.map((event) => ({ topic, key: "one partition", value: JSON.stringify(event) })))
}

const get = async (dispatcher: Dispatcher, path: string) =>
  (await fetch(`${dispatcher.addresses.ops}${path}`)).text()

/**
 * Kills the dispatcher when it has noticed the outage and has committed the records that it considers done.
 */
async function killInOutage(it: Installation, dispatcher: Dispatcher, unwritten: string) {
  await waitUntil("the dispatcher to notice the outage", async () =>
    (await get(dispatcher, "/readyz")).includes(unwritten),
  )
  // Invalid records are done without the database, in both partitions.
  const keys = Array.from({ length: 20 }, (_, at) => `${at}`)
  await it.publish(keys.map((key) => ({ topic: it.names.sitePaid, key, value: "not an event" })))
  await waitUntil("them to be done", () => dispatcher.output().split("is invalid").length > keys.length)
  await waitUntil("the other partition's offsets to be committed", async () =>
    /^sitewire_site_paid_lag_records\{.*\} 0$/m.test(await get(dispatcher, "/metrics")),
  )
  await dispatcher.end("SIGKILL")
}

const undelivered = (it: Installation) => it.sql("select from delivery where state <> 'delivered'")
const theRows = "select state, attempts, deferred_at, next_attempt_at from delivery"
const delivered = { state: "delivered", attempts: 1, deferred_at: null, next_attempt_at: null }

test("attempts that a killed dispatcher could not record in an outage of the database are made again, and recorded", async () => {
  await using it = await startInstallation({ retryDelaysMs: [60_000] })
  const pendingResponses: (() => void)[] = []
  const partner = await startReceiver(({ path }, response, before) => {
    if (before < 2) pendingResponses.push(() => response.writeHead(path === "/fails" ? 500 : 204).end())
    else response.writeHead(204).end()
  })
  const channels = ["succeeds", "fails"]
  for (const channel of channels) await it.channel(channel, `${partner.url}/${channel}`)
  const first = await it.dispatcher()
  await publishTogether(it, channels)
  await waitUntil("an attempt for each channel", () => pendingResponses.length === 2)
  const database = await closeDatabase(it.databaseUrl)
  for (const respond of pendingResponses) respond()
  await killInOutage(it, first, "record attempts")
  await database.open()
  await it.dispatcher()
  await waitUntil("both deliveries", async () => (await undelivered(it)).length === 0, 40_000)
  expect(await it.sql(theRows)).toEqual([delivered, delivered])
  expect(await it.sql("select number, status from attempt")).toEqual([
    { number: 1, status: 204 },
    { number: 1, status: 204 },
  ])
  expect(partner.received).toHaveLength(4)
  await partner.close()
}, 120_000)

test("a delivery that a killed dispatcher could not defer in an outage of the database is delivered by the next one", async () => {
  await using it = await startInstallation({ retryDelaysMs: [60_000] })
  const partner = await startReceiver((_, response, before) => {
    // The first attempt uses the channel's only permit.
    if (before > 0) response.writeHead(204).end()
  })
  await it.channel("acme", partner.url)
  // Deferred in its row, so it blocks no partition.
  await it.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation, deferred_at, deferred_reason, failures)
     values (gen_random_uuid(), 'before', 'acme', '{}', '', 'c', now(), 'resend', 0)`,
  )
  const first = await it.dispatcher({ CHANNEL_MAX_CONCURRENCY: "1", CHANNEL_MAX_WAIT: "6s" })
  await waitUntil("the attempt that uses the permit", () => partner.received.length === 1)
  await publishTogether(it, ["acme"])
  await waitUntil("its row", async () => (await it.sql("select from delivery")).length === 2)
  const database = await closeDatabase(it.databaseUrl)
  await killInOutage(it, first, "defer deliveries")
  await database.open()
  await it.dispatcher({ DELIVERY_TIMEOUT: "1s" })
  await waitUntil("both deliveries", async () => (await undelivered(it)).length === 0, 60_000)
  expect(await it.sql(theRows)).toEqual([delivered, delivered])
  expect(partner.received).toHaveLength(3)
  await partner.close()
}, 120_000)
