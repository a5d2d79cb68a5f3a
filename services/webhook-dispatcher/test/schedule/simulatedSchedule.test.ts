import fc from "fast-check"
import { expect, test } from "vitest"
import {
  type Answer,
  drainWithinMs,
  type MadeAttempt,
  type Step,
  schedule,
  simulate,
  topics,
} from "../fixtures/simulatedDispatcher.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const fails: Answer = { status: 500 }
const takes: Answer = { status: 204 }
/** Minutes after the start at which a partner that always fails is attempted. */
const planned = [0, 1, 6, 21, 81, 141, 201, 261, 321]

type Simulation = ReturnType<typeof simulate>

/**
 * By the broker's clock, every attempt but the first was due when it was made, and came no sooner after the one before
 * than the schedule says.
 */
function expectNeverEarly(it: Simulation, isMeant = (_event: string) => true): void {
  const firstAt = new Map(firsts(it.attempts).map(({ event, number, at }) => [`${event} ${number}`, at]))
  for (const { event, number, at } of it.attempts.filter((made) => made.number > 1 && isMeant(made.event))) {
    expect(
      at - Math.min(...it.dueTimes(event, number)),
      `attempt ${number} after it was due`,
    ).toBeGreaterThanOrEqual(0)
    const delayMs = schedule.delaysMs[number - 2] ?? schedule.delaysMs.at(-1)
    const before = firstAt.get(`${event} ${number - 1}`) ?? Number.NaN
    expect(at - before, `attempt ${number} after the one before`).toBeGreaterThanOrEqual(delayMs ?? 0)
  }
}

/** The first attempt of each number came at its due time, or later by less than `lateMs`. */
function expectNotLate(it: Simulation, lateMs: number, isMeant = (_event: string) => true): void {
  for (const { event, number, at } of firsts(it.attempts).filter(
    (made) => made.number > 1 && isMeant(made.event),
  ))
    expect(at - Math.min(...it.dueTimes(event, number)), `attempt ${number} late`).toBeLessThan(lateMs)
}

const firsts = (attempts: MadeAttempt[]) =>
  attempts.filter(
    (made) => attempts.find(({ event, number }) => event === made.event && number === made.number) === made,
  )
const numbers = (attempts: MadeAttempt[]) => attempts.map(({ number }) => number)
const lateness = (it: Simulation) =>
  it.attempts.slice(1).map(({ event, number, at }) => at - Math.min(...it.dueTimes(event, number)))
const distinct = (attempts: MadeAttempt[]) => [...new Set(numbers(attempts))]

test("a partner that always fails is attempted at 0, 1m, 6m, 21m, 1h21m and hourly to 5h21m, and then given up", async () => {
  using it = simulate({ answer: () => fails })
  it.publish("event")
  await it.advance(6 * hour)
  const [first] = it.attempts
  const lateMs = it.attempts.map(({ at }, index) => at - (first?.at ?? 0) - (planned[index] ?? 0) * minute)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(Math.min(...lateMs)).toBe(0)
  expect(Math.max(...lateMs)).toBeLessThan(second)
  expectNeverEarly(it)
  await it.advance(day)
  expect(it.attempts).toHaveLength(9)
  expect(it.deadLetters()).toMatchObject([{ attempts: 9, last_error: "status", last_status: 500 }])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead", attempts: 9 })
  expect(it.pending("event")).toEqual([])
})

test.each(planned.map((_, failures) => failures))(
  "a partner that recovers after %i failures is delivered to once",
  async (failures) => {
    using it = simulate({ answer: ({ number }) => (number > failures ? takes : fails) })
    it.publish("event")
    await it.advance(2 * day)
    expect(numbers(it.attempts)).toEqual(planned.slice(0, failures + 1).map((_, index) => index + 1))
    expectNeverEarly(it)
    expectNotLate(it, second)
    expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: failures + 1 })
    expect(it.deadLetters()).toEqual([])
    expect(it.pending("event")).toEqual([])
  },
)

/** How often a kill after this step makes an attempt again, and how many records are then dropped as stale. */
const kills: { step: Step; repeated: number; stale: number }[] = [
  { step: "asked", repeated: 1, stale: 0 },
  { step: "answered", repeated: 1, stale: 0 },
  { step: "appended", repeated: 1, stale: 1 },
  { step: "recorded", repeated: 0, stale: 1 },
  { step: "committed", repeated: 0, stale: 0 },
]

test.each(kills.flatMap((kill) => [2, 3, 5, 8].map((number) => ({ ...kill, number }))))(
  "a kill when attempt $number was just $step makes no other attempt early or twice, and forks no chain",
  async ({ step, number, repeated, stale }) => {
    const downMs = 20 * second
    let reached = false
    const pending: number[] = []
    using it = simulate({
      answer: () => fails,
      onStep(done) {
        if (done.step === "recorded") pending.push(it.pending("event").length)
        // What is appended names the attempt that follows; a commit names none, and comes soon after the record.
        const named = step === "appended" ? number + 1 : step === "committed" ? 0 : number
        const isThere = step !== "committed" || it.rows.byEvent("event")?.attempts === number
        if (reached || done.step !== step || done.number !== named || !isThere) return
        reached = true
        it.restart(downMs)
      },
    })
    it.publish("event")
    await it.advance(2 * day)
    expect(reached).toBe(true)
    expect(distinct(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(it.attempts).toHaveLength(9 + repeated)
    expectNeverEarly(it)
    expectNotLate(it, downMs + second)
    expect(await it.stale()).toBe(stale)
    // Two copies of what follows can wait, until the first of them is attempted.
    expect(pending).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((at) => copiesAt(at, step, number)))
    expect(it.deadLetters()).toHaveLength(1)
  },
)

function copiesAt(recorded: number, step: Step, killedAt: number): number {
  if (recorded === 9) return 0
  return step === "appended" && recorded === killedAt ? 2 : 1
}

const waits = [
  { wait: "first", from: 0, ms: minute },
  { wait: "third", from: 6 * minute, ms: 15 * minute },
  { wait: "seventh", from: 201 * minute, ms: hour },
]
const moments = waits.flatMap(({ wait, from, ms }) => [
  { wait, when: "beginning", at: from + 2 * second },
  { wait, when: "middle", at: from + ms / 2 },
  { wait, when: "last instant", at: from + ms },
])

test.each(moments.flatMap((moment) => [100, 40 * second].map((downMs) => ({ ...moment, downMs }))))(
  "a kill at the $when of the $wait wait, $downMs ms long, and a rebalance change neither times nor number of attempts",
  async ({ at, downMs }) => {
    for (const fault of ["restart", "rebalance"] as const) {
      using it = simulate({ answer: () => fails })
      it.publish("event")
      await it.advance(at)
      it[fault](downMs)
      await it.advance(2 * day)
      expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      expectNeverEarly(it)
      expectNotLate(it, downMs + second)
      expect(it.pending("event")).toEqual([])
      expect(it.deadLetters()).toHaveLength(1)
    }
  },
)

test("a kill every 25 s, for a day, ends a delivery all the same, and no attempt of it is early", async () => {
  using it = simulate({ answer: () => fails })
  it.publish("event")
  for (let kill = 0; kill < day / (25 * second); kill++) {
    await it.advance(24 * second)
    it.restart(second)
    await it.advance(second)
  }
  expect(distinct(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expectNotLate(it, 3 * second)
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead", attempts: 9 })
})

test("an attempt that is repeated after a kill and taken then ends the chain that its first run began", async () => {
  using it = simulate({
    answer: (_, before) => (before.length === 0 ? fails : takes),
    onStep({ step }) {
      if (step === "appended") it.restart(second)
    },
  })
  it.publish("event")
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1, 1])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 1 })
  expect(await it.stale()).toBe(1)
})

test("a kill between the dead letter and its record repeats the last attempt and the dead letter", async () => {
  let killed = false
  using it = simulate({
    answer: () => fails,
    onStep({ step }) {
      if (killed || step !== "appended" || it.deadLetters().length === 0) return
      killed = true
      it.restart(second)
    },
  })
  it.publish("event")
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 9])
  expect(it.deadLetters().map(({ attempts }) => attempts)).toEqual([9, 9])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead", attempts: 9 })
})

test("a copy of a retry record is dropped, whether it comes with the first, after it or in another topic", async () => {
  let copied = false
  using it = simulate({
    answer: ({ number }) => (number === 3 ? takes : fails),
    onStep({ step }) {
      if (copied || step !== "appended") return
      copied = true
      const [shortest = "", ...longer] = topics.retry
      for (const { key, value } of it.broker.records(shortest))
        for (const topic of [shortest, shortest, ...longer]) it.broker.append({ topic, key, value })
    },
  })
  it.publish("event")
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1, 2, 3])
  expect(await it.stale()).toBe(5)
  expectNeverEarly(it)
  expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 3 })
})

test("a rebalance during an attempt, which then comes again to the same process, makes no attempt twice", async () => {
  using it = simulate({ answer: () => ({ ...fails, tookMs: 9 * second }), onStep })
  function onStep({ step }: { step: Step }): void {
    if (step === "asked") it.rebalance(second)
  }
  it.publish("event")
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  // Each comes again, waits for the first run to end and is stale by then.
  expect(await it.stale()).toBe(9)
  expectNeverEarly(it)
  expect(it.deadLetters()).toHaveLength(1)
})

const inTenMinutes = () => new Date(Date.now() + 10 * minute).toUTCString()

test.each([
  { says: "600 s", retryAfter: () => "600", waitMs: 15 * minute },
  { says: "a date in 10 minutes", retryAfter: inTenMinutes, waitMs: 15 * minute },
  { says: "30 s", retryAfter: () => "30", waitMs: minute },
  { says: "61 s", retryAfter: () => "61", waitMs: 5 * minute },
  { says: "10 h", retryAfter: () => String(10 * 3_600), waitMs: hour },
])(
  "Retry-After of $says after the first failure waits $waitMs ms, and the schedule goes on",
  async (asked) => {
    const { retryAfter, waitMs } = asked
    using it = simulate({
      answer: ({ number }) => (number === 1 ? { status: 429, retryAfter: retryAfter() } : fails),
    })
    it.publish("event")
    await it.advance(2 * day)
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

test("a channel whose breaker is open to the period's end is given up unattempted; no delivery is forgotten", async () => {
  using it = simulate({
    answer: () => fails,
    dispatcher: { breakerFailures: 1, breakerCooldownMs: 7 * hour },
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
  await it.advance(day)
  expect(it.attempts).toHaveLength(1)
  expect(it.deadLetters()).toHaveLength(2)
})

test("a delivery that is given up unattempted is dead in its row too", async () => {
  using it = simulate({
    answer: () => fails,
    dispatcher: { breakerFailures: 1, breakerCooldownMs: 7 * hour },
  })
  it.publish("event")
  await it.advance(day)
  expect(it.deadLetters()).toMatchObject([{ last_error: "not-attempted" }])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead" })
})

test("thirty deliveries to a partner that always fails share its breaker's probes and each end with one dead letter", async () => {
  using it = simulate({ answer: () => fails })
  for (let event = 0; event < 30; event++) it.publish(String(event))
  await it.advance(day)
  const deliveries = new Set(it.deadLetters().map(({ delivery }) => delivery))
  expect(deliveries.size).toBe(30)
  expect(it.deadLetters()).toHaveLength(30)
  expect(it.attempts.length).toBeLessThan(30 * planned.length)
  expect(Math.max(...it.attempts.map(({ at }) => at))).toBeLessThan(6 * hour + minute + 5 * second)
  expectNeverEarly(it)
})

test.each([
  { kill: "without a kill", killAt: null, overAfter: 10 * second, twice: 0 },
  { kill: "with one in the middle", killAt: 2 * second, overAfter: 2 * minute, twice: 32 },
])(
  "500 events for a partner that answers in 300 ms all arrive, $kill",
  async ({ killAt, overAfter, twice }) => {
    const events = Array.from({ length: 500 }, (_, at) => `event ${at}`)
    using it = simulate({ answer: () => ({ status: 204, tookMs: 300 }) })
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

test("a paused channel is never given up, and has its whole retry period after the resume", async () => {
  using it = simulate({ answer: () => fails })
  it.publish("event")
  await it.advance(30 * second)
  it.rows.pause("acme")
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1])
  expect(it.deadLetters()).toEqual([])
  expect(it.pending("event")).toEqual([])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "pending", deferredReason: "paused" })
  it.rows.resume("acme")
  const resumedAt = it.elapsed()
  await it.advance(2 * day)
  const [, resumed, ...rest] = it.attempts
  expect(resumed?.at).toBeLessThan(resumedAt + drainWithinMs)
  expect(rest.length).toBeGreaterThan(0)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a second copy of an event that an operator held back for long has its whole retry period too", async () => {
  using it = simulate({ answer: () => fails })
  it.rows.pause("acme")
  it.publish("event")
  await it.advance(day)
  it.rows.resume("acme")
  it.publish("event")
  await it.advance(second)
  expect(numbers(it.attempts)).toEqual([1])
  expect(it.deadLetters()).toEqual([])
  await it.advance(day)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a second copy of an event that was given up unattempted is not sent", async () => {
  using it = simulate({
    answer: () => fails,
    dispatcher: { breakerFailures: 1, breakerCooldownMs: 7 * hour },
  })
  it.publish("attempted")
  await it.advance(second)
  it.publish("given up")
  await it.advance(day)
  expect(it.rows.byEvent("given up")).toMatchObject({ state: "dead", attempts: 0 })
  it.publish("given up")
  await it.advance(day)
  expect(it.attempts.map(({ event }) => event)).not.toContain("given up")
  expect(it.rows.byEvent("given up")).toMatchObject({ state: "dead", attempts: 0 })
})

test("a kill between a deferral and its commit leaves one attempt, and the record that comes again is dropped", async () => {
  let kills = 0
  using it = simulate({
    answer: () => takes,
    onStep({ step }) {
      if (step !== "deferred" || kills === 5) return
      kills += 1
      it.restart(5 * second)
    },
  })
  it.rows.pause("acme")
  it.publish("event")
  await it.advance(day)
  expect(kills).toBe(1)
  expect(it.rows.byEvent("event")).toMatchObject({ state: "pending", deferredReason: "paused" })
  it.rows.resume("acme")
  await it.advance(day)
  expect(numbers(it.attempts)).toEqual([1])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 1, deferredAt: null })
})

test.each([10 * second, -10 * second, hour, -hour])(
  "a clock that is set by %i ms during a wait makes no attempt early or late",
  async (byMs) => {
    using it = simulate({ answer: () => fails })
    it.publish("event")
    await it.advance(50 * minute)
    it.jumpClock(byMs)
    await it.advance(2 * day)
    expectNeverEarly(it)
    expectNotLate(it, second)
    expect(it.attempts.map(({ at }) => Math.floor(at / minute))).toEqual(planned)
    expect(it.deadLetters()).toHaveLength(1)
  },
)

test("a clock that is an hour ahead for two minutes costs no attempt its place", async () => {
  using it = simulate({ answer: () => fails })
  it.publish("event")
  await it.advance(50 * minute)
  it.jumpClock(hour)
  await it.advance(2 * minute)
  it.jumpClock(-hour)
  await it.advance(2 * day)
  expectNeverEarly(it)
  expectNotLate(it, second)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
})

// The limit, while nothing corrects the clock: no acknowledgement of this process's own is part of the simulation.
test("a process that starts with a clock 10 s ahead of the broker's attempts early by just that, and its chain is whole", async () => {
  using it = simulate({ answer: () => fails })
  it.publish("event")
  await it.advance(30 * second)
  it.jumpClock(10 * second)
  it.restart(second)
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(Math.min(...lateness(it))).toBeGreaterThanOrEqual(-10 * second)
  expect(Math.max(...lateness(it))).toBeLessThan(-9 * second)
  expect(it.deadLetters()).toHaveLength(1)
})

test("a process that starts with a clock behind the broker's attempts late by just that, until it reads a new record", async () => {
  using it = simulate({ answer: () => fails })
  it.publish("event")
  await it.advance(30 * second)
  it.jumpClock(-10 * second)
  it.restart(second)
  await it.advance(2 * day)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  const [late = 0, ...right] = lateness(it)
  expect(Math.floor(late / second)).toBe(10)
  expect(Math.max(...right)).toBeLessThan(second)
  expect(it.deadLetters()).toHaveLength(1)
})

/** What a kill after this step of a deferred delivery costs: an attempt that is made again, or nothing. */
const killsOfDeferred: { step: Step; repeated: number }[] = [
  { step: "deferred", repeated: 0 },
  { step: "claimed", repeated: 0 },
  { step: "asked", repeated: 1 },
  { step: "answered", repeated: 1 },
  { step: "appended", repeated: 1 },
  { step: "recorded", repeated: 0 },
]

test.each(killsOfDeferred)(
  "a kill when a deferred delivery was just $step loses nothing, and repeats its attempt at most once",
  async ({ step, repeated }) => {
    let killed = false
    // The first attempt after the pause fails, so that something is appended.
    using it = simulate({
      answer: ({ number }) => (number === 1 ? fails : takes),
      onStep(done) {
        if (killed || done.step !== step) return
        killed = true
        it.restart(5 * second)
      },
    })
    it.rows.pause("acme")
    it.publish("event")
    await it.advance(hour)
    it.rows.resume("acme")
    await it.advance(day)
    expect(killed).toBe(true)
    expect(numbers(it.attempts)).toEqual([...Array.from({ length: 1 + repeated }, () => 1), 2])
    expectNeverEarly(it)
    expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 2, deferredAt: null })
    expect(it.pending("event")).toEqual([])
  },
)

test("a delivery that failed once and then finds no capacity for longer than its retry period is attempted all the same", async () => {
  // One at a time, each for 9 s: what comes due behind 4,000 others waits for ten hours.
  using it = simulate({
    answer: ({ event, number }) =>
      event === "failed" && number === 1
        ? fails
        : { status: 204, tookMs: event === "failed" ? 40 : 9 * second },
    dispatcher: { channelMaxConcurrency: 1 },
  })
  it.publish("failed")
  await it.advance(second)
  for (let event = 0; event < 4_000; event++) it.publish(String(event))
  await it.advance(12 * hour)
  expect(it.rows.byEvent("failed")).toMatchObject({ state: "delivered", attempts: 2 })
  const [, second_] = it.attempts.filter(({ event }) => event === "failed")
  expect(second_?.at).toBeGreaterThan(6 * hour)
  expect(it.deadLetters()).toEqual([])
})

test("what is deferred behind an open breaker dies when its period is over, and what was deferred for a pause does not", async () => {
  using it = simulate({
    answer: () => fails,
    dispatcher: { breakerFailures: 1, breakerCooldownMs: 20 * hour },
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

test("a channel that was paused behind an open breaker has its whole retry period after the resume", async () => {
  using it = simulate({
    answer: () => fails,
    dispatcher: { breakerFailures: 1, breakerCooldownMs: 40 * hour },
  })
  it.publish("opens")
  await it.advance(second)
  it.publish("behind")
  await it.advance(hour)
  it.rows.pause("acme")
  await it.advance(day)
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "pending" })
  it.rows.resume("acme")
  await it.advance(6 * hour - 5 * minute)
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "pending" })
  await it.advance(10 * minute)
  expect(it.rows.byEvent("behind")).toMatchObject({ state: "dead" })
})

test("after the cool-down of a breaker the delivery that was deferred first is the probe", async () => {
  let well = false
  using it = simulate({
    answer: () => (well ? takes : fails),
    dispatcher: { breakerFailures: 1, breakerCooldownMs: 10 * minute },
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

test("scheduled deliveries whose records are lost are attempted behind the sweep, once, and never early", async () => {
  using it = simulate({ answer: ({ number }) => (number < 3 ? fails : takes) })
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
    // The third was due five minutes behind the second, and the sweep waits five more.
    expect((made[2]?.at ?? 0) - (made[1]?.at ?? 0)).toBeGreaterThanOrEqual(5 * minute)
  }
})

const answers: Answer[] = [
  takes,
  fails,
  fails,
  fails,
  { status: 429, retryAfter: "600" },
  { status: 503, tookMs: 9 * second },
]
const faultKinds = ["restart", "rebalance", "pause", "resend"] as const
const chaos = fc.record({
  deliveries: fc.array(
    fc.record({
      afterMs: fc.nat({ max: 10 * second }),
      answers: fc.array(fc.constantFrom(...answers), { minLength: 1, maxLength: 9 }),
    }),
    { minLength: 10, maxLength: 40 },
  ),
  faults: fc.array(
    fc.record({
      kind: fc.constantFrom(...faultKinds),
      // Often short, so that it meets attempts; now and then long.
      afterMs: fc.oneof(fc.nat({ max: second }), fc.nat({ max: 2 * minute }), fc.nat({ max: 2 * hour })),
      downMs: fc.integer({ min: 100, max: 90 * second }),
    }),
    { maxLength: 20 },
  ),
  /** The process is killed as well when it has done so many steps. */
  killsAtStep: fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 5 }),
})

/** SCHEDULE_SEED repeats a run: its value is the seed that a failure shows. */
test("whatever fails and whenever it is killed: none early, none twice at once, all delivered or dead", async () => {
  const property = fc.asyncProperty(chaos, async ({ deliveries, faults, killsAtStep }) => {
    let steps = 0
    using it = simulate({
      answer: ({ event }, before) => deliveries[Number(event)]?.answers[before.length] ?? fails,
      onStep() {
        steps += 1
        if (killsAtStep.includes(steps)) it.restart(second)
      },
    })
    for (const [event, { afterMs }] of deliveries.entries()) {
      await it.advance(afterMs)
      // A channel each: what a shared breaker does has its own tests.
      it.publish(String(event), String(event))
    }
    const resent = new Set<string>()
    const disturbed = new Set<string>()
    for (const [at, { kind, afterMs, downMs }] of faults.entries()) {
      await it.advance(afterMs)
      const event = String(at % deliveries.length)
      if (kind === "restart" || kind === "rebalance") it[kind](downMs)
      else disturbed.add(event)
      if (kind === "pause") {
        it.rows.pause(event)
        it.after(downMs, () => it.rows.resume(event))
      }
      if (kind === "resend" && it.rows.byEvent(event)) {
        resent.add(event)
        it.rows.resend(event)
      }
    }
    await it.advance(day)

    expectNeverEarly(it, (event) => !resent.has(event))
    const downMs = faults.reduce((sum, fault) => sum + fault.downMs, killsAtStep.length * second)
    // What was appended before a kill can come due while the attempt before it is repeated.
    expectNotLate(it, downMs + 10 * second, (event) => !disturbed.has(event))
    const kills = killsAtStep.length + faults.filter(({ kind }) => kind === "restart").length
    for (const event of deliveries.keys()) {
      const made = it.attempts.filter((attempt) => attempt.event === String(event))
      const row = it.rows.byEvent(String(event))
      for (const [index, { at, number }] of made.entries()) {
        const before = made[index - 1]
        if (!before) continue
        expect(at).toBeGreaterThanOrEqual(before.overAt)
        expect([0, 1]).toContain(number - before.number)
      }
      expect(made.length - distinct(made).length).toBeLessThanOrEqual(kills)
      expect(row).toMatchObject({ deferredAt: null, nextAttemptAt: null })
      expect(["delivered", "dead"]).toContain(row?.state)
      expect(row?.attempts).toBe(made.at(-1)?.number)
      expect(it.pending(String(event))).toEqual([])
      const letters = it.deadLetters().filter(({ delivery }) => delivery === row?.id).length
      if (row?.state === "dead") expect(letters).toBeGreaterThan(0)
      if (kills === 0 && !resent.has(String(event))) expect(letters).toBe(row?.state === "dead" ? 1 : 0)
    }
  })
  const { SCHEDULE_SEED } = process.env
  await fc.assert(property, {
    numRuns: 100,
    interruptAfterTimeLimit: 15 * second,
    ...(SCHEDULE_SEED ? { seed: Number(SCHEDULE_SEED) } : {}),
  })
})
