import { expect, test } from "vitest"
import { accepts, fails, hour, minute, second } from "../fixtures/scheduleExpectations.ts"
import { simulate } from "../fixtures/simulatedDispatcher.ts"

test("deliveries of a channel whose breaker is open until the end of their retry periods are dead without another attempt", async () => {
  using it = simulate({
    respond: () => fails,
    dispatcher: { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 7 * hour },
  })
  it.publish("attempted once")
  await it.advance(second)
  it.publish("never attempted")
  await it.advance(6 * hour - second)
  expect(it.deadLetters()).toEqual([])
  await it.advance(2 * minute)
  expect(it.attempts).toMatchObject([{ event: "attempted once", number: 1 }])
  expect(it.deadLetters().toSorted((a, b) => b.attempts - a.attempts)).toMatchObject([
    { attempts: 1, last_error: "not-attempted", last_status: null },
    { attempts: 0, last_error: "not-attempted", last_status: null },
  ])
  await it.advance(8 * hour)
  expect(it.attempts).toHaveLength(1)
  expect(it.deadLetters()).toHaveLength(2)
})

test("a delivery that dies without another attempt is dead in its row too", async () => {
  using it = simulate({
    respond: () => fails,
    dispatcher: { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 7 * hour },
  })
  it.publish("event")
  await it.advance(8 * hour)
  expect(it.deadLetters()).toMatchObject([{ last_error: "not-attempted" }])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead" })
})

test("a delivery deferred for an open breaker dies at the end of its period, and one deferred for a pause does not", async () => {
  using it = simulate({
    respond: () => fails,
    dispatcher: { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 20 * hour },
  })
  it.publish("opens", "broken")
  await it.advance(second)
  it.publish("behind", "broken")
  it.rows.pause("paused")
  it.publish("held", "paused")
  await it.advance(6 * hour + 3 * minute)
  expect(it.rows.byEvent("opens")).toMatchObject({ state: "dead" })
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "dead", attempts: 0 })
  expect(it.rows.byEvent("held")).toMatchObject({ state: "pending", deferredReason: "paused" })
  expect(it.deadLetters()).toHaveLength(2)
})

test("the pause of a channel whose breaker is open does not count, and the time before it does", async () => {
  using it = simulate({
    respond: () => fails,
    dispatcher: { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 40 * hour },
  })
  it.publish("opens")
  await it.advance(second)
  it.publish("behind")
  await it.advance(hour)
  it.rows.pause("acme")
  await it.advance(8 * hour)
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "pending" })
  it.rows.resume("acme")
  await it.advance(5 * hour - 10 * minute)
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "pending" })
  await it.advance(20 * minute)
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "dead" })
})

test("after the cool-down of a breaker, the delivery that was deferred first is the probe", async () => {
  let well = false
  using it = simulate({
    respond: () => (well ? accepts : fails),
    dispatcher: { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 10 * minute },
  })
  it.publish("opens")
  await it.advance(second)
  for (const event of ["first", "second", "third"]) {
    it.publish(event)
    await it.advance(second)
  }
  well = true
  await it.advance(20 * minute)
  const after = it.attempts.slice(1).map(({ event }) => event)
  expect(after[0]).toBe("first")
  expect(after.toSorted()).toEqual(["first", "opens", "second", "third"])
})
