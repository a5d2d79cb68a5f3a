import { expect, onTestFinished, test, vi } from "vitest"
import { startDeliveryDatabase } from "../test/fixtures/deliveryDatabase.ts"
import { claimDeferred } from "./claim.ts"
import { countUnreachable, reportUnreachable } from "./unreachable.ts"

test("a channel that another transaction has locked delays neither reports about others nor their claims", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  await sql(`insert into channel (id, address, secret_id, secret_sealed, updated_at)
    select unnest(array['bad', 'new']), 'https://partner.example/', 'sec_1', '', now()`)
  await sql("update channel set max_per_second = 10 where id in ('acme', 'bad')")
  const deferred = { deferred_at: "now()", deferred_reason: "'rate'" }
  const claim = async () => {
    for (const channel of ["acme", "bad"]) await insert({ ...deferred, channel_id: `'${channel}'` })
    const requests = ["acme", "bad"].map((channel) => ({ channel, limit: 10, from: 0 }))
    const claimed = await claimDeferred(sql, requests, { leaseMs: 60_000, attemptWithinMs: 60_000 })
    return claimed.map(({ channel }) => channel.channel_id)
  }
  expect((await claim()).sort()).toEqual(["acme", "bad"])
  const open = ["acme", "bad", "new"].map((channel) => ({ channel, ms: 5_000 }))
  await reportUnreachable(sql, open.slice(0, 2))
  await sql("update unreachable_channel set seen_at = seen_at - interval '1 hour'")

  const other = await driver.connect()
  onTestFinished(() => other.release(true))
  await other.query("begin")
  await other.query("select from channel where id in ('bad', 'new') for update")
  await other.query("select from unreachable_channel where channel_id = 'bad' for update")
  await other.query("select from channel_rate where channel_id = 'bad' for update")
  await reportUnreachable(sql, open)
  expect(await sql("select channel_id, counted_ms from unreachable_channel order by channel_id")).toEqual([
    { channel_id: "acme", counted_ms: 10_000 },
    { channel_id: "bad", counted_ms: 5_000 },
    { channel_id: "new", counted_ms: 5_000 },
  ])
  expect(await claim()).toEqual(["acme"])
})

const pollIntervalMs = 500
const minute = 60_000

/** A breaker that opens at 0. `poll` observes it for a while. */
function startCounting() {
  const breaker = { key: "acme", openedAt: 0, probeDue: false }
  const it = { now: 0, isNetworkDown: false, isPaused: false, fails: false }
  const clock = vi.spyOn(performance, "now").mockImplementation(() => it.now)
  onTestFinished(() => clock.mockRestore())
  let reportedMs = 0
  const counting = countUnreachable({
    openBreakers: () => [breaker],
    isNetworkDown: () => it.isNetworkDown,
    report: async (open) => {
      if (it.fails) throw new Error("Postgres is unavailable")
      for (const { ms } of open) reportedMs += ms
    },
    pollIntervalMs,
  })
  return Object.assign(it, {
    reportedMs: () => reportedMs,
    async poll(forMs: number, probeDue = false): Promise<void> {
      breaker.probeDue = probeDue
      for (const until = it.now + forMs; it.now < until; ) {
        it.now += pollIntervalMs
        await counting.poll(() => it.isPaused).catch(() => {})
      }
    },
  })
}
/** Reports are made every five seconds. */
const about = (ms: number, reportedMs: number) => {
  expect(reportedMs).toBeLessThanOrEqual(ms)
  expect(reportedMs).toBeGreaterThan(ms - 6_000)
}

test("the time since a breaker opened counts, while probes are sent soon after they are due", async () => {
  const it = startCounting()
  for (let probe = 1; probe <= 10; probe++) {
    await it.poll(5 * minute)
    await it.poll(minute / 2, true)
  }
  await it.poll(minute / 2)
  about(55.5 * minute, it.reportedMs())
})

test("the time in which a probe was due and could not be sent does not count; that before it does", async () => {
  const it = startCounting()
  await it.poll(10 * minute)
  await it.poll(60 * minute, true)
  await it.poll(5 * minute)
  about(15 * minute, it.reportedMs())
})

test("the time in which the process was frozen does not count, although a probe was in flight", async () => {
  const it = startCounting()
  await it.poll(10 * minute)
  it.now += 8 * 60 * minute
  await it.poll(minute)
  about(11 * minute, it.reportedMs())
})

test.each(["our network is down", "the channel is paused"] as const)(
  "the time in which %s does not count",
  async (why) => {
    const it = startCounting()
    await it.poll(10 * minute)
    it.isNetworkDown = why === "our network is down"
    it.isPaused = why === "the channel is paused"
    await it.poll(5 * 60 * minute)
    it.isNetworkDown = it.isPaused = false
    await it.poll(10 * minute)
    about(20 * minute, it.reportedMs())
  },
)

test("what could not be reported is reported later", async () => {
  const it = startCounting()
  it.fails = true
  await it.poll(10 * minute)
  it.fails = false
  await it.poll(minute)
  about(11 * minute, it.reportedMs())
})
