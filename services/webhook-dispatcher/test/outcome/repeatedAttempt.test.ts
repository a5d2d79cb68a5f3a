import { startReceiver } from "@sitewire/receiver"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { type AttemptRecord, recordAttempts } from "../../src/outcome/recordAttempts.ts"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

// A process that was paused, or lost its partitions, makes an attempt that another makes as well. One of the two can
// fail and the other be taken: `npm run chaos -- outbound` saw it for one in a hundred deliveries to flaky partners.

const inAMinute = { delayMs: 60_000, failures: 1, elapsedMs: 0 }
const record = (deliveryId: string, number: number, outcome: Partial<AttemptRecord>): AttemptRecord => ({
  ...{
    deliveryId,
    number,
    startedAt: new Date(),
    durationMs: 5,
    lookupMs: null,
    connectMs: null,
    tlsMs: null,
  },
  ...{ firstByteMs: null, address: null, status: 500, error: "status", secretId: "sec_acme" },
  ...{ detail: null, responseExcerpt: null, state: "pending", scheduled: inAMinute, deferredAt: null },
  ...outcome,
})
const taken: Partial<AttemptRecord> = { status: 204, error: null, state: "delivered", scheduled: null }

test("an attempt that was taken counts, although a repeat of it failed and was recorded first", async () => {
  await using it = await startInstallation()
  const id = "0199f000-0000-7000-8000-000000000001"
  await it.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, correlation)
     values ($1, 'event', 'acme', '', '', 'event')`,
    [id],
  )
  const row = () => it.sql("select state::text, attempts, next_attempt_at from delivery")
  await recordAttempts(it.sql, [record(id, 1, {})])
  await recordAttempts(it.sql, [record(id, 2, {})])
  expect(await row()).toMatchObject([{ state: "pending", attempts: 2 }])
  await recordAttempts(it.sql, [record(id, 1, { ...taken, startedAt: new Date(Date.now() + 10) })])
  expect(await row()).toEqual([{ state: "delivered", attempts: 2, next_attempt_at: null }])
  await recordAttempts(it.sql, [record(id, 2, { startedAt: new Date(Date.now() + 20) })])
  expect(await row()).toEqual([{ state: "delivered", attempts: 2, next_attempt_at: null }])
})

test("the chain behind a failed repeat ends where the delivery was delivered; a resend goes out", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  const dispatcher = await it.dispatcher()
  const before = new Date().toISOString()
  await it.publishPaid([paid("event")])
  const [delivery] = await waitUntil("the delivery", async () => {
    const rows = await it.sql<{ id: string }>("select id from delivery where state = 'delivered'")
    return rows.length === 1 && rows
  })
  const id = delivery?.id ?? ""
  const next = { delivery: id, attempt: 2, failures: 1, since: before, correlation: "event" }
  await it.publish([{ topic: it.names.retry[0] ?? "", key: id, value: JSON.stringify(next) }])
  await waitUntil("it to be dropped", () => dispatcher.output().includes("the delivery was delivered"))
  expect(receiver.received).toHaveLength(1)
  await it.resend(id)
  await waitUntil("the resend", () => receiver.received.length === 2)
  expect(receiver.received[1]?.headers["x-sitewire-attempt"]).toBe("2")
  await receiver.close()
})

test("a resend that fails is retried, whatever the clock of whoever asked for it said", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  const receiver = await startReceiver((_, response, before) => {
    response.writeHead(before === 1 ? 500 : 204).end()
  })
  await it.channel("acme", receiver.url)
  await it.dispatcher()
  await it.publishPaid([paid("event")])
  await waitUntil(
    "the delivery",
    async () => (await it.sql("select from delivery where state = 'delivered'")).length === 1,
  )
  // As a clock far behind Postgres's would have had it.
  await it.sql("update delivery set finished_at = now() + interval '1 hour'")
  const [row] = await it.sql<{ id: string }>("select id from delivery")
  await it.resend(row?.id ?? "")
  await waitUntil("the retry of the resend", () => receiver.received.length === 3)
  expect(receiver.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "2", "3"])
  await receiver.close()
})
