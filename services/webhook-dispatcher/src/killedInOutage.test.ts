import { startReceiver, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { closeDatabase } from "./fixtures/closeDatabase.ts"
import { paid, startInstallation } from "./fixtures/testDispatcher.ts"

test("attempts and deferrals that the database does not have yet outlast a kill: the next dispatcher makes them again", async () => {
  await using it = await startInstallation({ retryDelaysMs: [60_000] })
  const held: (() => void)[] = []
  const partner = await startReceiver(({ path }, response, before) => {
    if (before < 3) held.push(() => response.writeHead(path === "/fails" ? 500 : 204).end())
    else response.writeHead(204).end()
  })
  const channels = ["succeeds", "fails", "busy"]
  for (const channel of channels) await it.channel(channel, `${partner.url}/${channel}`)
  const first = await it.dispatcher({ CHANNEL_MAX_IN_FLIGHT: "1", CHANNEL_MAX_WAIT: "6s" })
  // In one partition, whose offsets must not be committed.
  await it.publish(
    [...channels, "busy"].map((channel, at) => ({
      topic: it.names.sitePaid,
      key: "one partition",
      value: JSON.stringify(paid(`event-${at}`, { channel })),
    })),
  )
  await waitUntil("an attempt for each channel", () => held.length === 3)
  await waitUntil("all rows", async () => (await it.sql("select from delivery")).length === 4)
  const database = await closeDatabase(it.databaseUrl)
  for (const [at, { path }] of partner.received.entries()) if (path !== "/busy") held[at]?.()
  const unwritten = new Set<string>()
  await waitUntil("attempts and a deferral that cannot be written", async () => {
    const text = await (await fetch(`${first.addresses.ops}/readyz`)).text()
    for (const what of ["record attempts", "defer deliveries"]) if (text.includes(what)) unwritten.add(what)
    return unwritten.size === 2
  })

  // These are done without the database, in both partitions: once the other one's are committed, so is all that was done before.
  const invalid = Array.from({ length: 20 }, (_, at) => ({
    topic: it.names.sitePaid,
    key: `${at}`,
    value: "x",
  }))
  await it.publish(invalid)
  await waitUntil("them to be done", () => first.output().split("is invalid").length > invalid.length)
  await waitUntil("the other partition's offsets to be committed", async () => {
    const figures = await (await fetch(`${first.addresses.ops}/metrics`)).text()
    return /^sitewire_site_paid_lag_records\{.*\} 0$/m.test(figures)
  })
  await first.end("SIGKILL")
  await database.open()
  await it.dispatcher()
  const rows = () => it.sql("select state, attempts, deferred_at, next_attempt_at from delivery")
  await waitUntil(
    "all deliveries",
    async () => (await rows()).every(({ state }) => state === "delivered"),
    40_000,
  )
  const delivered = { state: "delivered", attempts: 1, deferred_at: null, next_attempt_at: null }
  expect(await rows()).toEqual([delivered, delivered, delivered, delivered])
  expect(await it.sql("select from attempt where number = 1 and status = 204")).toHaveLength(4)
  // The three that were in flight, and all four again.
  expect(partner.received).toHaveLength(7)
  await partner.close()
}, 120_000)
