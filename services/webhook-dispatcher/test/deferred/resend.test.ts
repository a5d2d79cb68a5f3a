import { setTimeout as sleep } from "node:timers/promises"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "../fixtures/testDispatcher.ts"

const nonEmpty = <T>(list: T[]) => (list.length > 0 ? list : undefined)

type Installation = Awaited<ReturnType<typeof startInstallation>>

const delivered = async (it: Installation) =>
  (await it.sql("select from delivery where state = 'delivered'")).length

test("a resend is sent at once as the next attempt, and a delivered delivery stays delivered", async () => {
  await using it = await startInstallation()
  const partner = await startReceiver()
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil(
    "delivered",
    async () => (await it.sql("select 1 from delivery where attempts = 1")).length === 1,
  )
  const [row] = await it.sql<{ id: string }>("select id from delivery")
  await it.resend(row?.id ?? "")
  await waitUntil("the resend", () => partner.received.length === 2)
  expect(partner.received[1]?.body.equals(partner.received[0]?.body ?? Buffer.alloc(0))).toBe(true)
  expect(partner.received[1]?.headers["x-sitewire-attempt"]).toBe("2")
  const [after] = await waitUntil("its record", async () =>
    nonEmpty(await it.sql("select state, attempts, deferred_at from delivery where attempts = 2")),
  )
  expect(after).toEqual({ state: "delivered", attempts: 2, deferred_at: null })
  await partner.close()
})

test("a resend of a dead delivery starts a new retry period, and sends the same bytes", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200, 1_500] })
  let well = false
  const partner = await startReceiver((_, response) => response.writeHead(well ? 200 : 503).end())
  await it.channel("acme", partner.url)
  const letters = await it.read(it.names.dead)
  await it.dispatcher({ RETRY_PERIOD: "1s" })
  await it.publishPaid([paid("shop-1")])
  const [letter] = await waitUntil("the dead letter", () => nonEmpty(letters))
  const { delivery, attempts } = JSON.parse(String(letter?.value)) as { delivery: string; attempts: number }
  const state = async (wanted: string) =>
    (await it.sql("select 1 from delivery where state = $1::delivery_state", [wanted])).length === 1
  await waitUntil("the state", () => state("dead"))

  await it.resend(delivery)
  await waitUntil("the resend", () => partner.received.length === attempts + 1)
  well = true
  const retry = await waitUntil("its retry", () => partner.received[attempts + 1])
  const resent = partner.received[attempts]
  // After the first delay, not the one that the dead delivery had reached.
  expect(retry.at - (resent?.at ?? 0)).toBeGreaterThanOrEqual(200)
  expect(retry.at - (resent?.at ?? 0)).toBeLessThan(1_500)
  expect(new Set(partner.received.map(({ body }) => body.toString())).size).toBe(1)
  expect(new Set(partner.received.map(({ headers }) => headers["x-sitewire-delivery"]))).toEqual(
    new Set([delivery]),
  )
  await waitUntil("the state", () => state("delivered"))
  await partner.close()
})

test("a failed resend is retried, even if the clock of the process that requested it is wrong", async () => {
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
  // As if the requester's clock were an hour behind Postgres's.
  await it.sql("update delivery set finished_at = now() + interval '1 hour'")
  const [row] = await it.sql<{ id: string }>("select id from delivery")
  await it.resend(row?.id ?? "")
  await waitUntil("the retry of the resend", () => receiver.received.length === 3)
  expect(receiver.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "2", "3"])
  await receiver.close()
})

test("a resend requested while an attempt is in flight is sent after it, with the next number", async () => {
  await using it = await startInstallation()
  const pendingResponses: (() => void)[] = []
  const partner = await startReceiver((_, response) => {
    pendingResponses.push(() => response.writeHead(204).end())
  })
  await it.channel("acme", partner.url)
  await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("the attempt", () => pendingResponses.length === 1)
  const [row] = await it.sql<{ id: string }>("select id from delivery")
  await it.resend(row?.id ?? "")
  // Longer than the interval of the polls.
  await sleep(1_200)
  expect(partner.received).toHaveLength(1)
  pendingResponses[0]?.()
  await waitUntil("the resend", () => pendingResponses.length === 2)
  pendingResponses[1]?.()
  await waitUntil("its record", async () => {
    const found = await it.sql("select from delivery where attempts = 2 and deferred_at is null")
    return found.length === 1
  })
  expect(partner.received.map(({ headers }) => headers["x-sitewire-attempt"])).toEqual(["1", "2"])
  await partner.close()
})

test("a resend replaces the scheduled retry, which is dropped", async () => {
  await using it = await startInstallation({ retryDelaysMs: [1_500] })
  const partner = await startReceiver((_, response, before) => response.writeHead(before ? 204 : 500).end())
  await it.channel("acme", partner.url)
  const dispatcher = await it.dispatcher()
  await it.publishPaid([paid("shop-1")])
  await waitUntil("a scheduled retry", async () => {
    return (await it.sql("select from delivery where next_attempt_at is not null")).length === 1
  })
  const [row] = await it.sql<{ id: string }>("select id from delivery")
  await it.resend(row?.id ?? "")
  await waitUntil("the resend", async () => (await delivered(it)) === 1)
  await waitUntil("the scheduled record to be dropped", () =>
    dispatcher.output().includes("is stale; it is dropped"),
  )
  expect(partner.received).toHaveLength(2)
  await partner.close()
})
