import { startReceiver } from "@sitewire/cli/receivers"
import { connectKafka, deleteTopics, ensureTopics } from "@sitewire/kafka"
import { kafkaBrokers, silentLog, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

const dead = 30

test("while no dead letter can be published, deliveries die and others are attempted; the letters follow", async () => {
  await using it = await startInstallation({ retryDelaysMs: [600_000] })
  const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "test", log: silentLog })
  const failing = await startReceiver((_, response) => response.writeHead(500).end())
  const working = await startReceiver()
  await it.channel("failing", failing.url)
  await it.channel("acme", working.url)
  // The first retry would be due after the retry period.
  const dispatcher = await it.dispatcher({
    RETRY_PERIOD: "1m",
    MAX_OUTSTANDING_RECORDS: "10",
    BREAKER_FAILURES: "1000",
  })
  await deleteTopics(kafka, [it.names.dead])
  await it.publishPaid(Array.from({ length: dead }, (_, at) => paid(`dies-${at}`, { channel: "failing" })))
  await waitUntil("all to die", async () => (await it.count("state = 'dead'")) === dead)
  await it.publishPaid([paid("accepted")])
  await waitUntil("the delivery of another channel", () => working.received.length === 1)
  expect(await it.sql("select from ended_delivery")).toHaveLength(dead)

  await ensureTopics({ kafka, topics: [{ name: it.names.dead, partitions: 1, config: {} }] })
  const letters = await it.read(it.names.dead)
  await waitUntil("all dead letters", () => letters.length >= dead)
  const delivered = letters.map(({ value }) => JSON.parse(String(value)))
  expect(new Set(delivered.map(({ delivery }) => delivery)).size).toBe(dead)
  expect(delivered[0]).toMatchObject({
    channel: "failing",
    attempts: 1,
    last_error: "status",
    last_status: 500,
  })
  await waitUntil("all to be deleted", async () => {
    return (await it.sql("select from ended_delivery")).length === 0
  })
  expect(await dispatcher.metrics()).toMatch(
    new RegExp(`^sitewire_deliveries_dead_total(\\{.*\\})? ${dead}$`, "m"),
  )
  await Promise.all([failing.close(), working.close()])
})
