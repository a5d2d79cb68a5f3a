import { expect, test } from "vitest"
import {
  accepts,
  day,
  expectNeverEarly,
  fails,
  hour,
  minute,
  numbers,
  second,
} from "../fixtures/scheduleExpectations.ts"
import { type Step, simulate, topics } from "../fixtures/simulatedDispatcher.ts"

test("a second copy of a retry record is dropped, at the same time, later, or in another topic", async () => {
  let copied = false
  using it = simulate({
    respond: ({ number }) => (number === 3 ? accepts : fails),
    onStep({ step }) {
      if (copied || step !== "appended") return
      copied = true
      const [shortest = "", ...longer] = topics.retry
      for (const { key, value } of it.broker.records(shortest))
        for (const topic of [shortest, shortest, ...longer]) it.broker.append({ topic, key, value })
    },
  })
  it.publish("event")
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1, 2, 3])
  // Two of them come together with the original.
  expect(await it.stale()).toBe(3)
  expectNeverEarly(it)
  expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 3 })
})

test("a rebalance during an attempt, after which the same process consumes the record again, repeats no attempt", async () => {
  using it = simulate({ respond: () => ({ ...fails, tookMs: 9 * second }), onStep })
  function onStep({ step }: { step: Step }): void {
    if (step === "requested") it.rebalance(second)
  }
  it.publish("event")
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  // Each record is consumed again, and waits for the first run. The event is then a duplicate, and the 8 retries are stale.
  expect(await it.stale()).toBe(8)
  expectNeverEarly(it)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a delivery that a pause deferred for a day has its whole retry period, although its event is published again", async () => {
  using it = simulate({ respond: () => fails })
  it.rows.pause("acme")
  it.publish("event")
  await it.advance(day)
  it.rows.resume("acme")
  it.publish("event")
  await it.advance(second)
  expect(numbers(it.attempts)).toEqual([1])
  expect(it.deadLetters()).toEqual([])
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a second copy of an event whose delivery died unattempted is not sent", async () => {
  using it = simulate({
    respond: () => fails,
    dispatcher: { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 7 * hour },
  })
  it.publish("attempted")
  await it.advance(second)
  it.publish("given up")
  await it.advance(8 * hour)
  expect(it.rows.byEvent("given up")).toMatchObject({ state: "dead", attempts: 0 })
  it.publish("given up")
  await it.advance(8 * hour)
  expect(it.attempts.map(({ event }) => event)).not.toContain("given up")
  expect(it.rows.byEvent("given up")).toMatchObject({ state: "dead", attempts: 0 })
})

test("scheduled deliveries whose records are lost are attempted nevertheless, once, and never early", async () => {
  using it = simulate({ respond: ({ number }) => (number < 3 ? fails : accepts) })
  for (let event = 0; event < 20; event++) it.publish(String(event), String(event))
  await it.advance(2 * minute)
  it.loseRetryTopics()
  await it.advance(hour)
  for (let event = 0; event < 20; event++) {
    expect(it.rows.byEvent(String(event))).toMatchObject({
      state: "delivered",
      attempts: 3,
      deferredAt: null,
    })
    const made = it.attempts.filter((attempt) => attempt.event === String(event))
    expect(numbers(made)).toEqual([1, 2, 3])
    // The third was due five minutes after the second.
    expect((made[2]?.at ?? 0) - (made[1]?.at ?? 0)).toBeGreaterThanOrEqual(5 * minute)
  }
})
