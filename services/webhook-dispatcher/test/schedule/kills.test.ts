import { expect, test } from "vitest"
import {
  accepts,
  distinct,
  expectNeverEarly,
  expectNotLate,
  fails,
  hour,
  minute,
  numbers,
  second,
} from "../fixtures/scheduleExpectations.ts"
import { drainWithinMs, type Step, simulate } from "../fixtures/simulatedDispatcher.ts"

/** How often a kill after this step repeats the attempt, and how many records are then dropped as stale. */
const kills: { step: Step; repeated: number; stale: number }[] = [
  { step: "requested", repeated: 1, stale: 1 },
  { step: "responded", repeated: 1, stale: 1 },
  { step: "appended", repeated: 0, stale: 1 },
  { step: "recorded", repeated: 0, stale: 1 },
  { step: "committed", repeated: 0, stale: 0 },
]

/** What was claimed by a process that was killed waits for the end of its lease. */
const lateMs = 50 * second + drainWithinMs

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

/** How often a kill after this step of a deferred delivery repeats its attempt. */
const killsOfDeferred: { step: Step; repeated: number }[] = [
  { step: "deferred", repeated: 0 },
  { step: "claimed", repeated: 0 },
  { step: "requested", repeated: 1 },
  { step: "responded", repeated: 1 },
  { step: "appended", repeated: 0 },
  { step: "recorded", repeated: 0 },
]

test.each(kills.flatMap((kill) => [2, 8].map((number) => ({ ...kill, number }))))(
  "a kill when attempt $number was just $step makes no other attempt early or twice",
  async ({ step, number, repeated, stale }) => {
    const downMs = 20 * second
    let reached = false
    using it = simulate({
      respond: () => fails,
      onStep(done) {
        // An appended record has the number of the next attempt. A commit has none, and follows the recorded
        // attempt.
        const named = step === "appended" ? number + 1 : step === "committed" ? 0 : number
        const isThere = step !== "committed" || it.rows.byEvent("event")?.attempts === number
        if (reached || done.step !== step || done.number !== named || !isThere) return
        reached = true
        it.restart(downMs)
      },
    })
    it.publish("event")
    await it.advance(8 * hour)
    expect(reached).toBe(true)
    expect(distinct(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(it.attempts).toHaveLength(9 + repeated)
    expectNeverEarly(it)
    expectNotLate(it, downMs + lateMs)
    expect(await it.stale()).toBe(stale)
    expect(it.deadLetters()).toHaveLength(1)
  },
)

test.each(moments.flatMap((moment) => [100, 40 * second].map((downMs) => ({ ...moment, downMs }))))(
  "neither a kill at the $when of the $wait wait, for $downMs ms, nor a rebalance changes the attempts",
  async ({ at, downMs }) => {
    for (const fault of ["restart", "rebalance"] as const) {
      using it = simulate({ respond: () => fails })
      it.publish("event")
      await it.advance(at)
      it[fault](downMs)
      await it.advance(8 * hour)
      expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
      expectNeverEarly(it)
      expectNotLate(it, downMs + lateMs)
      expect(it.pending("event")).toEqual([])
      expect(it.deadLetters()).toHaveLength(1)
    }
  },
)

test("a delivery still ends if the process is killed every 25 s for longer than its retry period, and no attempt is early", async () => {
  using it = simulate({ respond: () => fails })
  it.publish("event")
  for (let kill = 0; kill < (7 * hour) / (25 * second); kill++) {
    await it.advance(24 * second)
    it.restart(second)
    await it.advance(second)
  }
  expect(distinct(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expectNeverEarly(it)
  expectNotLate(it, lateMs)
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead", attempts: 9 })
})

test("a kill after a dead letter was published, and before that is recorded, repeats the letter and no attempt", async () => {
  let killed = false
  using it = simulate({
    respond: () => fails,
    onStep({ step }) {
      if (killed || step !== "appended" || it.deadLetters().length === 0) return
      killed = true
      it.restart(second)
    },
  })
  it.publish("event")
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(it.deadLetters().map(({ attempts }) => attempts)).toEqual([9, 9])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "dead", attempts: 9 })
})

test("after a kill between a deferral and its commit there is one attempt, and the record is dropped as stale", async () => {
  let kills = 0
  using it = simulate({
    respond: () => accepts,
    onStep({ step }) {
      if (step !== "deferred" || kills === 5) return
      kills += 1
      it.restart(5 * second)
    },
  })
  it.rows.pause("acme")
  it.publish("event")
  await it.advance(8 * hour)
  expect(kills).toBe(1)
  expect(it.rows.byEvent("event")).toMatchObject({ state: "pending", deferredReason: "paused" })
  it.rows.resume("acme")
  await it.advance(8 * hour)
  expect(numbers(it.attempts)).toEqual([1])
  expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 1, deferredAt: null })
})

test.each(killsOfDeferred)(
  "a kill when a deferred delivery was just $step loses no delivery, and repeats its attempt at most once",
  async ({ step, repeated }) => {
    let killed = false
    // The first attempt after the pause fails, so that a retry is appended.
    using it = simulate({
      respond: ({ number }) => (number === 1 ? fails : accepts),
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
    await it.advance(8 * hour)
    expect(killed).toBe(true)
    expect(numbers(it.attempts)).toEqual([...Array.from({ length: 1 + repeated }, () => 1), 2])
    expectNeverEarly(it)
    expect(it.rows.byEvent("event")).toMatchObject({ state: "delivered", attempts: 2, deferredAt: null })
    expect(it.pending("event")).toEqual([])
  },
)
