import { expect, test } from "vitest"
import { nextStep, type RetrySchedule } from "./nextAttempt.ts"

const minute = 60_000
const schedule: RetrySchedule = {
  delaysMs: [1, 5, 15, 60].map((minutes) => minutes * minute),
  periodMs: 360 * minute,
}
const since = new Date("2030-01-01T00:00:00Z")

test("attempts come at 0, then after 1m, 5m, 15m, 1h and hourly, until the retry period of 6h ends", () => {
  const attempts = [0]
  for (let now = since, failures = 1; ; failures++) {
    const step = nextStep(schedule, { failures, since, now })
    if (step.kind === "dead") break
    now = new Date(now.getTime() + step.delayMs)
    attempts.push((now.getTime() - since.getTime()) / minute)
  }
  expect(attempts).toEqual([0, 1, 6, 21, 81, 141, 201, 261, 321])
})

test("Retry-After moves an attempt to a longer delay, never to a shorter one or past the longest", () => {
  const stepFor = (failures: number, retryAfterMs: number) => {
    const step = nextStep(schedule, { failures, since, now: since, retryAfterMs })
    return step.kind === "retry" ? step.step : step.kind
  }
  expect(stepFor(1, 0)).toBe(0)
  expect(stepFor(1, minute + 1)).toBe(1)
  expect(stepFor(1, 16 * minute)).toBe(3)
  expect(stepFor(1, 48 * 60 * minute)).toBe(3)
  expect(stepFor(3, 1_000)).toBe(2)
})

test("Retry-After never ends a delivery: if the longer delay would pass the period's end, the longest that fits is chosen", () => {
  const late = new Date(since.getTime() + 330 * minute)
  const asked = (now: Date, failures: number, periodMs = schedule.periodMs) =>
    nextStep({ ...schedule, periodMs }, { failures, since, now, retryAfterMs: 60 * minute })
  expect(asked(late, 1)).toMatchObject({ kind: "retry", step: 2 })
  expect(asked(since, 1, 30 * minute)).toMatchObject({ kind: "retry", step: 2 })
  expect(asked(since, 1, minute)).toMatchObject({ kind: "retry", step: 0 })
  expect(asked(late, 4)).toEqual({ kind: "dead" })
})
