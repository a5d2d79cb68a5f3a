import { beforeEach, expect, onTestFinished, test, vi } from "vitest"
import { measureOpenTime } from "./measureOpenTime.ts"

const pollIntervalMs = 500
const minute = 60_000

const clock = { now: 0 }
const network = { isDown: false }
beforeEach(() => {
  clock.now = 0
  network.isDown = false
  vi.spyOn(performance, "now").mockImplementation(() => clock.now)
  onTestFinished(() => void vi.restoreAllMocks())
})

/** A breaker that opens at 0. `poll` observes it for a while. */
function startMeasuring() {
  const breaker = { key: "acme", openedAt: 0, probeDue: false }
  const measured = measureOpenTime({
    openBreakers: () => [breaker],
    isNetworkDown: () => network.isDown,
    pollIntervalMs,
  })
  return {
    openForMs: () => measured.openForMs("acme", breaker.openedAt),
    measured,
    breaker,
    poll(forMs: number, probeDue: boolean): void {
      breaker.probeDue = probeDue
      for (const until = clock.now + forMs; clock.now < until; measured.observe()) clock.now += pollIntervalMs
    },
  }
}

test("a breaker counts as open since it opened, while probes are sent soon after they are due", () => {
  const { poll, openForMs, measured } = startMeasuring()
  for (let probe = 1; probe <= 10; probe++) {
    poll(5 * minute, false)
    poll(minute / 2, true)
  }
  expect(openForMs()).toBe(55 * minute)
  expect(measured.openForMs("acme", null)).toBe(0)
})

test("the time in which a probe was due and could not be sent does not count, nor the time before", () => {
  const { poll, openForMs } = startMeasuring()
  poll(10 * minute, false)
  poll(10 * minute, true)
  expect(openForMs()).toBe(0)
  poll(5 * minute, false)
  expect(Math.abs(openForMs() - 5 * minute)).toBeLessThan(minute)
})

test("a claim after polls that hung counts nothing, although no poll has shown that the probe could not be sent", () => {
  const { poll, openForMs, breaker } = startMeasuring()
  poll(10 * minute, false)
  breaker.probeDue = true
  clock.now += 8 * 60 * minute
  expect(openForMs()).toBe(0)
})

test("the time in which the process was frozen does not count, although a probe was in flight", () => {
  const { poll, openForMs } = startMeasuring()
  poll(10 * minute, false)
  clock.now += 8 * 60 * minute
  poll(minute, false)
  expect(openForMs()).toBeLessThanOrEqual(minute)
})

test("a breaker that closed and opened again between two polls counts since it opened again", () => {
  const { poll, openForMs, breaker } = startMeasuring()
  poll(10 * minute, false)
  breaker.openedAt = clock.now
  poll(minute, false)
  expect(openForMs()).toBe(minute)
})

test("the time in which our network is down does not count, although probes are sent", () => {
  const { openForMs, poll } = startMeasuring()
  poll(10 * minute, false)
  network.isDown = true
  poll(5 * 60 * minute, false)
  expect(openForMs()).toBe(0)
  network.isDown = false
  poll(10 * minute, false)
  expect(openForMs()).toBeLessThanOrEqual(10 * minute)
  expect(openForMs()).toBeGreaterThanOrEqual(9 * minute)
})
