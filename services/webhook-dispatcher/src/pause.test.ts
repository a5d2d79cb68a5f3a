import { startReceiver, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { paid, startInstallation } from "./testDispatcher.ts"

test("a paused channel's deliveries outwait their retry period and a kill without an attempt, and then all arrive", async () => {
  await using it = await startInstallation({ retryDelaysMs: [200] })
  let broken = true
  const failedAfter = new Set<unknown>()
  const partner = await startReceiver(({ headers }, response) => {
    // After the resume a few fail once more: their retry period has only just begun.
    const fails = broken || (failedAfter.size < 5 && !failedAfter.has(headers["x-sitewire-delivery"]))
    if (fails && !broken) failedAfter.add(headers["x-sitewire-delivery"])
    response.writeHead(fails ? 500 : 204).end()
  })
  const other = await startReceiver()
  await it.channel("acme", partner.url)
  await it.channel("other", other.url)
  const letters = await it.read(it.names.dead)
  const waits = await it.read(it.names.retry[0] ?? "")
  const roundsOf = (attempt: number) => {
    const rounds = new Map<string, number>()
    for (const { value } of waits) {
      const due = JSON.parse(String(value))
      if (due.attempt === attempt) rounds.set(due.delivery, (rounds.get(due.delivery) ?? 0) + 1)
    }
    return Math.min(...rounds.values())
  }
  const period = { RETRY_PERIOD: "3s" }
  const first = await it.dispatcher(period)
  await it.publishPaid([paid("failed-before")])
  await waitUntil("a failed attempt", async () => (await it.sql("select 1 from attempt")).length === 1)
  await it.sql("update channel set paused_at = now() where id = 'acme'")

  const events = Array.from({ length: 40 }, (_, at) => paid(`shop-${at}`))
  await it.publishPaid(events)
  await it.publishPaid([paid("not-paused", { channel: "other" })])
  await waitUntil("another channel's delivery", () => other.received.length === 1)
  await waitUntil("each to be put off", () => new Set(waits.map(({ key }) => key)).size === 41)
  const before = partner.received.length
  await first.end("SIGKILL")
  await it.dispatcher(period)
  // Sixteen rounds of 200 ms are longer than the retry period.
  await waitUntil("the retry period to pass", () => roundsOf(1) >= 16)
  const states = await it.sql(
    "select state, attempts > 0 as attempted, count(*)::int from delivery where channel_id = 'acme' group by 1, 2 order by 2",
  )
  expect(states).toEqual([
    { state: "pending", attempted: false, count: 40 },
    { state: "pending", attempted: true, count: 1 },
  ])
  expect(partner.received).toHaveLength(before)
  expect(letters).toEqual([])

  broken = false
  await it.sql("update channel set paused_at = null where id = 'acme'")
  await waitUntil(
    "all of them",
    async () => (await it.sql("select 1 from delivery where state = 'delivered'")).length === 42,
  )
  const after = partner.received.slice(before)
  expect(failedAfter.size).toBe(5)
  expect(after.filter(({ headers }) => headers["x-sitewire-attempt"] === "1")).toHaveLength(40)
  expect(new Set(after.map(({ body }) => body.toString())).size).toBe(41)
  expect(letters).toEqual([])
  await Promise.all([partner.close(), other.close()])
}, 60_000)

test("what a pause held back drains at a bounded pace: one at first, one more with each success", async () => {
  await using it = await startInstallation({ retryDelaysMs: [300] })
  const held: (() => void)[] = []
  let holding = true
  const partner = await startReceiver((_, response) => {
    const answer = () => void response.writeHead(204).end()
    if (holding) held.push(answer)
    else answer()
  })
  await it.channel("acme", partner.url)
  await it.sql("update channel set paused_at = now()")
  const waits = await it.read(it.names.retry[0] ?? "")
  await it.dispatcher({ CHANNEL_MAX_WAIT: "50ms", DELIVERY_TIMEOUT: "20s" })
  await it.publishPaid(Array.from({ length: 20 }, (_, at) => paid(`shop-${at}`)))
  await waitUntil("each to be put off", () => new Set(waits.map(({ key }) => key)).size === 20)
  await it.sql("update channel set paused_at = null")
  await waitUntil("the first", () => held.length === 1)
  const seen = waits.length
  // All the others came due meanwhile, and were turned away.
  await waitUntil("the others", () => new Set(waits.slice(seen).map(({ key }) => key)).size === 19)
  expect(partner.received).toHaveLength(1)
  holding = false
  for (const answer of held.splice(0)) answer()
  await waitUntil("all", () => partner.received.length === 20)
  await partner.close()
})
