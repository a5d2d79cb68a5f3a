import { expect, test } from "vitest"
import {
  day,
  expectNeverEarly,
  fails,
  hour,
  minute,
  numbers,
  second,
} from "../fixtures/scheduleExpectations.ts"
import { drainWithinMs, simulate } from "../fixtures/simulatedDispatcher.ts"

test.each([
  { kill: "without a kill", killAt: null, overAfter: 10 * second, twice: 0 },
  { kill: "with one in the middle", killAt: 2 * second, overAfter: 4 * minute, twice: 32 },
])(
  "500 events for a partner that responds in 300 ms all arrive, $kill",
  async ({ killAt, overAfter, twice }) => {
    const events = Array.from({ length: 500 }, (_, at) => `event ${at}`)
    using it = simulate({ respond: () => ({ status: 204, tookMs: 300 }) })
    for (const event of events) it.publish(event)
    if (killAt !== null) {
      await it.advance(killAt)
      it.restart(second)
    }
    await it.advance(hour)
    expect(new Set(it.attempts.map(({ event }) => event))).toEqual(new Set(events))
    expect(Math.max(...it.attempts.map(({ overAt }) => overAt).filter(Number.isFinite))).toBeLessThan(
      overAfter,
    )
    expect(it.attempts.length - events.length).toBeLessThanOrEqual(twice)
    for (const event of events) {
      expect(it.rows.byEvent(event)).toMatchObject({ state: "delivered", attempts: 1 })
      expect(it.pending(event)).toEqual([])
    }
  },
)

test("deliveries of a paused channel never die, and have their whole retry period after the resume", async () => {
  using it = simulate({ respond: () => fails })
  it.publish("event")
  await it.advance(30 * second)
  it.rows.pause("acme")
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1])
  expect(it.deadLetters()).toEqual([])
  expect(it.pending("event")).toEqual([])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "pending", deferredReason: "paused" })
  it.rows.resume("acme")
  const resumedAt = it.elapsed()
  await it.advance(8 * hour)
  const [, resumed, ...rest] = it.attempts
  expect(resumed?.at).toBeLessThan(resumedAt + drainWithinMs)
  expect(rest.length).toBeGreaterThan(0)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a delivery that finds no capacity for longer than its retry period is still attempted", async () => {
  // One at a time, each for 90 s: a retry that is due behind 420 others waits for more than six hours.
  using it = simulate({
    respond: ({ event, number }) =>
      event === "failed" && number === 1
        ? fails
        : { status: 204, tookMs: event === "failed" ? 40 : 90 * second },
    dispatcher: { CHANNEL_MAX_CONCURRENCY: 1, DELIVERY_TIMEOUT: 100 * second },
  })
  it.publish("failed")
  await it.advance(second)
  for (let event = 0; event < 420; event++) it.publish(String(event))
  await it.advance(12 * hour)
  expect(it.rows.byEvent("failed")).toMatchObject({ state: "delivered", attempts: 2 })
  const [, second_] = it.attempts.filter(({ event }) => event === "failed")
  expect(second_?.at).toBeGreaterThan(6 * hour)
  expect(it.deadLetters()).toEqual([])
})

test("deliveries that were claimed and found no capacity, because new events took it, do not wait for the next poll", async () => {
  using it = simulate({
    respond: () => ({ status: 204, tookMs: 100 }),
    pollMs: day,
  })
  let published = 0
  const publish = (count: number) => {
    for (let each = 0; each < count; each++) it.publish(String(published++))
  }
  publish(40)
  for (let burst = 0; burst < 60; burst++) it.after(burst * 97, () => publish(10))
  await it.advance(hour)
  expect(published).toBe(640)
  expect(new Set(it.attempts.map(({ event }) => event)).size).toBe(640)
})

test("deferred deliveries are attempted although each statement of Postgres takes three seconds, or nine", async () => {
  for (const statementMs of [3 * second, 9 * second]) {
    using it = simulate({ respond: () => ({ status: 204 }), statementMs })
    const events = Array.from({ length: 5 }, (_, at) => `event ${at}`)
    it.rows.pause("acme")
    for (const event of events) it.publish(event)
    await it.advance(5 * minute)
    it.rows.resume("acme")
    await it.advance(drainWithinMs + 2 * minute)
    expect(it.attempts.map(({ event }) => event).sort()).toEqual(events)
  }
})
