import { beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { countUnreachable } from "./countUnreachable.ts"

const pollIntervalMs = 500
const minute = 60_000

const clock = { now: 0 }
const network = { isDown: false }
const channel = { isPaused: false }
beforeEach(() => {
  clock.now = 0
  network.isDown = false
  channel.isPaused = false
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
})

/** A breaker that opens at 0. `poll` observes it for a while. */
function startCounting() {
  const breaker = { key: "acme", openedAt: 0, probeDue: false }
  const it = {
    breaker,
    isOpen: true,
    failures: 20,
    stale: [] as string[],
    forgotten: [] as string[],
    fails: false,
  }
  let reportedMs = 0
  const counting = countUnreachable({
    openBreakers: () => [breaker],
    isNetworkDown: () => network.isDown,
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
      for (const until = clock.now + forMs; clock.now < until; ) {
        clock.now += pollIntervalMs
        await counting.poll(() => channel.isPaused).catch(() => {})
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
  clock.now += 8 * 60 * minute
  await it.poll(minute)
  about(11 * minute, it.reportedMs())
})

test.each(["our network is down", "the channel is paused"] as const)(
  "the time in which %s does not count",
  async (why) => {
    const it = startCounting()
    await it.poll(10 * minute)
    network.isDown = why === "our network is down"
    channel.isPaused = why === "the channel is paused"
    await it.poll(5 * 60 * minute)
    network.isDown = channel.isPaused = false
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
