import fc from "fast-check"
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
import { simulate } from "../fixtures/simulatedDispatcher.ts"

// Each simulation also fails if a delivery dies when it has used less than its retry period.

const opensAtOnce = { BREAKER_FAILURES: 1, BREAKER_COOLDOWN: 10 * minute }

test("a pause does not count while the breaker is open: the first failure after the resume is followed by a retry", async () => {
  using it = simulate({ respond: () => fails, dispatcher: opensAtOnce })
  it.publish("event")
  await it.advance(5 * minute)
  expect(it.rows.byEvent("event")).toMatchObject({ deferredReason: "breaker" })
  it.rows.pause("acme")
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1])
  it.rows.resume("acme")
  await it.advance(2 * minute)
  expect(numbers(it.attempts)).toEqual([1, 2])
  expect(it.deadLetters()).toEqual([])
  await it.advance(6 * hour)
  expect(it.deadLetters()).toHaveLength(1)
  expectNeverEarly(it)
})

test("the wait for capacity after the breaker has closed does not count, although the breaker was the reason", async () => {
  let well = false
  // One at a time, each for 90 s: the last one waits for 7.5 hours.
  using it = simulate({
    respond: ({ event, number }) =>
      !well || (event === "last" && number === 1) ? fails : { status: 204, tookMs: 90 * second },
    dispatcher: { CHANNEL_MAX_CONCURRENCY: 1, BREAKER_FAILURES: 1, DELIVERY_TIMEOUT: 100 * second },
  })
  it.publish("opens")
  await it.advance(second)
  for (let event = 0; event < 300; event++) it.publish(String(event))
  await it.advance(5 * second)
  it.publish("last")
  await it.advance(5 * second)
  expect(it.rows.byEvent("last")).toMatchObject({ deferredReason: "breaker" })
  well = true
  await it.advance(9 * hour)
  const [first] = it.attempts.filter(({ event }) => event === "last")
  expect(first?.at).toBeGreaterThan(7 * hour)
  expect(it.rows.byEvent("last")).toMatchObject({ state: "delivered", attempts: 2 })
  expect(it.deadLetters()).toEqual([])
})

test.each(["dispatchers", "database", "sealing key"] as const)(
  "an outage of the %s does not count while the breaker is open, although the partner still fails after it",
  async (missing) => {
    using it = simulate({ respond: () => fails })
    for (let event = 0; event < 100; event++) it.publish(String(event))
    await it.advance(30 * minute)
    const deferred = it.rows.all().filter(({ deferredReason }) => deferredReason === "breaker")
    expect(deferred.length).toBeGreaterThan(50)
    if (missing === "dispatchers") it.restart(8 * hour)
    else it.outage(missing, 8 * hour)
    await it.advance(8 * hour + 10 * minute)
    expect(it.deadLetters()).toEqual([])
    await it.advance(8 * hour)
    expect(new Set(it.deadLetters().map(({ delivery }) => delivery)).size).toBe(100)
    expectNeverEarly(it)
  },
)

test("an outage of our own DNS ends no retry period, however long it is, and all is delivered after it", async () => {
  using it = simulate({ respond: () => accepts })
  const channels = Array.from({ length: 5 }, (_, at) => `channel-${at}`)
  const published: string[] = []
  const publish = (round: string) => {
    for (const channel of channels) {
      published.push(`${round} ${channel}`)
      it.publish(`${round} ${channel}`, channel)
    }
  }
  publish("before")
  await it.advance(minute)
  it.outage("network", 12 * hour)
  for (let at = 0; at < 12; at++) {
    publish(`hour ${at}`)
    await it.advance(hour)
  }
  expect(it.attempts).toHaveLength(channels.length)
  expect(it.rows.all().filter(({ deferredReason }) => deferredReason === "fault").length).toBeGreaterThan(0)
  // The next retry of what failed before the outage was noticed, and the next probe of a breaker.
  await it.advance(2 * hour)
  expect(it.deadLetters()).toEqual([])
  expect(published.filter((event) => it.rows.byEvent(event)?.state !== "delivered")).toEqual([])
})

test("a delivery that waits for an open breaker uses its retry period in real time, and dies at its end", async () => {
  using it = simulate({ respond: () => fails })
  for (let event = 0; event < 100; event++) it.publish(String(event))
  await it.advance(5 * hour)
  for (const { eventId } of it.rows.all()) expect(it.usedMs(eventId)).toBeGreaterThan(4.9 * hour)
  await it.advance(hour + 5 * minute)
  expect(it.deadLetters()).toHaveLength(100)
})

test("a delivery that waits for an open breaker dies at the end of its period, however often the dispatchers restart", async () => {
  using it = simulate({ respond: () => fails, dispatcher: opensAtOnce })
  for (let event = 0; event < 100; event++) it.publish(String(event))
  for (let hours = 0; hours < 5; hours++) {
    await it.advance(hour)
    it.restart(second)
  }
  expect(it.deadLetters()).toEqual([])
  // Each restart costs the time until the first probe, and its cool-down.
  await it.advance(2 * hour)
  expect(it.rows.all().filter(({ state }) => state === "pending")).toEqual([])
})

test("a delivery that waited for an open breaker is sent when the partner has recovered", async () => {
  let well = false
  using it = simulate({ respond: () => (well ? accepts : fails) })
  for (let event = 0; event < 100; event++) it.publish(String(event))
  await it.advance(5 * hour)
  well = true
  await it.advance(hour)
  expect(it.rows.all().every(({ state }) => state === "delivered")).toBe(true)
  expect(it.deadLetters()).toEqual([])
})

const events = fc.array(
  fc.record({
    kind: fc.constantFrom(
      ...(["recovery", "failure", "restart", "pause", "database", "sealing key"] as const),
    ),
    afterMs: fc.oneof(fc.nat({ max: 10 * minute }), fc.nat({ max: 4 * hour })),
    lastsMs: fc.oneof(fc.nat({ max: 10 * minute }), fc.nat({ max: 8 * hour })),
  }),
  { minLength: 3, maxLength: 12 },
)

/** To repeat a run, set SCHEDULE_SEED to the seed that the failure printed. SCHEDULE_RUNS: how many runs. */
test("random faults while a partner fails and recovers: no delivery dies before the end of its retry period, and each ends", async () => {
  const property = fc.asyncProperty(events, async (faults) => {
    let well = false
    using it = simulate({
      respond: () => (well ? { ...accepts, tookMs: 9 * second } : fails),
      dispatcher: { BREAKER_FAILURES: 3, CHANNEL_MAX_CONCURRENCY: 2 },
    })
    for (const { kind, afterMs, lastsMs } of faults) {
      for (let event = 0; event < 10; event++) it.publish(`${it.elapsed()} ${event}`)
      await it.advance(afterMs)
      if (kind === "recovery" || kind === "failure") well = kind === "recovery"
      else if (kind === "restart") it.restart(lastsMs)
      else if (kind === "pause") {
        it.rows.pause("acme")
        it.after(lastsMs, () => it.rows.resume("acme"))
      } else it.outage(kind, lastsMs)
    }
    await it.advance(day)
    for (const { state } of it.rows.all()) expect(["delivered", "dead"]).toContain(state)
  })
  const { SCHEDULE_SEED } = process.env
  await fc.assert(property, {
    numRuns: Number(process.env.SCHEDULE_RUNS ?? 6),
    ...(SCHEDULE_SEED ? { seed: Number(SCHEDULE_SEED) } : {}),
  })
})
