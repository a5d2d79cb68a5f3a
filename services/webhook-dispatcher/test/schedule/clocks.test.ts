import { expect, test } from "vitest"
import {
  expectNeverEarly,
  expectNotLate,
  fails,
  hour,
  lateness,
  minute,
  numbers,
  planned,
  second,
} from "../fixtures/scheduleExpectations.ts"
import { drainWithinMs, simulate } from "../fixtures/simulatedDispatcher.ts"

test.each([10 * second, -10 * second, hour, -hour])(
  "a clock that is set by %i ms during a wait makes no attempt early or late",
  async (byMs) => {
    using it = simulate({ respond: () => fails })
    it.publish("event")
    await it.advance(50 * minute)
    it.jumpClock(byMs)
    await it.advance(8 * hour)
    expectNeverEarly(it)
    expectNotLate(it, second)
    expect(it.attempts.map(({ at }) => Math.floor(at / minute))).toEqual(planned)
    expect(it.deadLetters()).toHaveLength(1)
  },
)

test("a clock that is an hour ahead for two minutes makes no attempt early or late", async () => {
  using it = simulate({ respond: () => fails })
  it.publish("event")
  await it.advance(50 * minute)
  it.jumpClock(hour)
  await it.advance(2 * minute)
  it.jumpClock(-hour)
  await it.advance(8 * hour)
  expectNeverEarly(it)
  expectNotLate(it, second)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})

// The simulation has no acknowledgements from which the process could learn the broker's time.
test("a process that starts with a clock 10 s ahead of the broker's makes no attempt early: what its records woke too early waits for the poll", async () => {
  using it = simulate({ respond: () => fails })
  it.publish("event")
  await it.advance(30 * second)
  it.jumpClock(10 * second)
  it.restart(second)
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expectNotLate(it, drainWithinMs + 3 * second)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a process that starts with a clock 10 s behind the broker's attempts 10 s late, until it reads a new record", async () => {
  using it = simulate({ respond: () => fails })
  it.publish("event")
  await it.advance(30 * second)
  it.jumpClock(-10 * second)
  it.restart(second)
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  const [late = 0, ...right] = lateness(it)
  expect(Math.floor(late / second)).toBe(10)
  expect(Math.max(...right)).toBeLessThan(second)
  expect(it.deadLetters()).toHaveLength(1)
})
