import { startReceiver } from "@sitewire/cli/receivers"
import { connectKafka, ensureTopics } from "@sitewire/kafka"
import { kafkaBrokers, silentLog, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

test("a retry whose attempt number is too large for its row is dropped, and not consumed again and again", async () => {
  await using it = await startInstallation({ retryDelaysMs: [100] })
  let fails = true
  const partner = await startReceiver((_, response) => response.writeHead(fails ? 500 : 204).end())
  await it.channel("acme", partner.url)
  await it.publishPaid([paid("shop-1")])
  const first = await it.dispatcher()
  await waitUntil("a failed attempt", () => partner.received.length > 0)
  expect(await first.stop()).toBe(0)
  const [row] = await it.sql<{ id: string; attempts: number }>("select id, attempts from delivery")
  const key = row?.id ?? ""
  const schedule = (attempt: number) =>
    it.publish([{ topic: it.names.retry[0] ?? "", key, value: JSON.stringify({ delivery: key, attempt }) }])
  await schedule(2 ** 31)
  await schedule((row?.attempts ?? 0) + 1)
  fails = false
  const dispatcher = await it.dispatcher()
  await waitUntil("the record behind it", async () => (await it.count("state = 'delivered'")) === 1)
  expect(dispatcher.output()).toContain("a retry record cannot be read; it is dropped")
  expect(dispatcher.output()).not.toContain("fatal")
  await partner.close()
})

test("a retry that the broker rejects for good blocks no partition: it is logged, and the poll finds the delivery", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300] })
  const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "test", log: silentLog })
  const retry = it.names.retry[0] ?? ""
  const tooSmall = { "max.message.bytes": "100", "message.timestamp.type": "LogAppendTime" }
  await ensureTopics({ kafka, topics: [{ name: retry, partitions: 2, config: tooSmall }] })
  const partner = await startReceiver((_, response, before) => response.writeHead(before ? 204 : 500).end())
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("refused")])
  await waitUntil("the failed attempt to be recorded", async () => {
    return (await it.count("next_attempt_at is not null")) === 1
  })
  await waitUntil("the refusal", () => dispatcher.output().includes("Kafka rejects a record for good"))
  // The partition is not blocked, and the process continues.
  await it.publishPaid(Array.from({ length: 6 }, (_, at) => paid(`behind-${at}`)))
  await waitUntil("all of them", async () => (await it.count("state = 'delivered'")) === 7)
  expect(await it.sql("select attempts from delivery where event_id = 'refused'")).toEqual([{ attempts: 2 }])
  expect(dispatcher.readiness().ready).toBe(true)
  await partner.close()
})
