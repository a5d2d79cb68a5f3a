import { expect, test } from "vitest"
import {
  accepts,
  expectNeverEarly,
  expectNotLate,
  fails,
  hour,
  minute,
  numbers,
  planned,
  second,
} from "../fixtures/scheduleExpectations.ts"
import { simulate } from "../fixtures/simulatedDispatcher.ts"

const inTenMinutes = () => new Date(Date.now() + 10 * minute).toUTCString()

test("a partner that always fails is attempted at 0, 1m, 6m, 21m, 1h21m and hourly to 5h21m, and then the delivery is dead", async () => {
  using it = simulate({ respond: () => fails })
  it.publish("event")
  await it.advance(6 * hour)
  const [first] = it.attempts
  const lateMs = it.attempts.map(({ at }, index) => at - (first?.at ?? 0) - (planned[index] ?? 0) * minute)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(Math.min(...lateMs)).toBe(0)
  expect(Math.max(...lateMs)).toBeLessThan(second)
  expectNeverEarly(it)
  await it.advance(8 * hour)
  expect(it.attempts).toHaveLength(9)
  expect(it.deadLetters()).toMatchObject([{ attempts: 9, last_error: "status", last_status: 500 }])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead", attempts: 9 })
  expect(it.pending("event")).toEqual([])
})

test.each(planned.map((_, failures) => failures))(
  "a partner that recovers after %i failures receives the delivery once",
  async (failures) => {
    using it = simulate({ respond: ({ number }) => (number > failures ? accepts : fails) })
    it.publish("event")
    await it.advance(8 * hour)
    expect(numbers(it.attempts)).toEqual(planned.slice(0, failures + 1).map((_, index) => index + 1))
    expectNeverEarly(it)
    expectNotLate(it, second)
    expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: failures + 1 })
    expect(it.deadLetters()).toEqual([])
    expect(it.pending("event")).toEqual([])
  },
)

test.each([
  { says: "600 s", retryAfter: () => "600", waitMs: 15 * minute },
  { says: "a date in 10 minutes", retryAfter: inTenMinutes, waitMs: 15 * minute },
  { says: "30 s", retryAfter: () => "30", waitMs: minute },
  { says: "61 s", retryAfter: () => "61", waitMs: 5 * minute },
  { says: "10 h", retryAfter: () => String(10 * 3_600), waitMs: hour },
])(
  "Retry-After of $says after the first failure waits $waitMs ms, and the schedule goes on",
  async (response) => {
    const { retryAfter, waitMs } = response
    using it = simulate({
      respond: ({ number }) => (number === 1 ? { status: 429, retryAfter: retryAfter() } : fails),
    })
    it.publish("event")
    await it.advance(8 * hour)
    const waited = it.attempts.map(({ at }, index) => at - (it.attempts[index - 1]?.at ?? at))
    const expected = [0, waitMs, 5 * minute, 15 * minute, hour, hour]
    for (const [index, ms] of expected.entries()) {
      expect(waited[index]).toBeGreaterThanOrEqual(ms)
      expect(waited[index]).toBeLessThan(ms + second)
    }
    expectNeverEarly(it)
    expect(it.deadLetters()).toHaveLength(1)
  },
)

test("thirty deliveries to a partner that always fails share its breaker's probes and each end with one dead letter", async () => {
  using it = simulate({ respond: () => fails })
  for (let event = 0; event < 30; event++) it.publish(String(event))
  await it.advance(8 * hour)
  const deliveries = new Set(it.deadLetters().map(({ delivery }) => delivery))
  expect(deliveries.size).toBe(30)
  expect(it.deadLetters()).toHaveLength(30)
  expect(it.attempts.length).toBeLessThan(30 * planned.length)
  expect(Math.max(...it.attempts.map(({ at }) => at))).toBeLessThan(6 * hour + minute + 5 * second)
  expectNeverEarly(it)
})
