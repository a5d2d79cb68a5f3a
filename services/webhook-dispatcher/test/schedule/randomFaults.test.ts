import fc from "fast-check"
import { expect, test } from "vitest"
import {
  accepts,
  distinct,
  expectNeverEarly,
  expectNotLate,
  fails,
  hour,
  minute,
  second,
} from "../fixtures/scheduleExpectations.ts"
import { drainWithinMs, type SimulatedResponse, simulate } from "../fixtures/simulatedDispatcher.ts"

const responses: SimulatedResponse[] = [
  accepts,
  fails,
  fails,
  fails,
  { status: 429, retryAfter: "600" },
  { status: 503, tookMs: 9 * second },
]

const faultKinds = ["restart", "rebalance", "pause", "resend", "cancel"] as const

const chaos = fc.record({
  deliveries: fc.array(
    fc.record({
      afterMs: fc.nat({ max: 10 * second }),
      responses: fc.array(fc.constantFrom(...responses), { minLength: 1, maxLength: 9 }),
    }),
    { minLength: 10, maxLength: 40 },
  ),
  faults: fc.array(
    fc.record({
      kind: fc.constantFrom(...faultKinds),
      // Often short, so that faults occur during attempts; sometimes long.
      afterMs: fc.oneof(fc.nat({ max: second }), fc.nat({ max: 2 * minute }), fc.nat({ max: 2 * hour })),
      downMs: fc.integer({ min: 100, max: 90 * second }),
    }),
    { maxLength: 20 },
  ),
  /** Also kills the process after these numbers of steps. */
  killsAtStep: fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 5 }),
})

/** To repeat a run, set SCHEDULE_SEED to the seed that the failure printed. SCHEDULE_RUNS: how many runs. */
test("random faults and kills: no attempt is early or concurrent with another, and all deliveries end delivered, dead or cancelled", async () => {
  const property = fc.asyncProperty(chaos, async ({ deliveries, faults, killsAtStep }) => {
    let steps = 0
    using it = simulate({
      respond: ({ event }, before) => deliveries[Number(event)]?.responses[before.length] ?? fails,
      onStep() {
        steps += 1
        if (killsAtStep.includes(steps)) it.restart(second)
      },
    })
    for (const [event, { afterMs }] of deliveries.entries()) {
      await it.advance(afterMs)
      // One channel each, because circuit breakers have their own tests.
      it.publish(String(event), String(event))
    }
    const resent = new Set<string>()
    const disturbed = new Set<string>()
    const cancelledAt = new Map<string, number>()
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
        cancelledAt.delete(event)
      }
      if (kind === "cancel" && it.rows.byEvent(event)?.state === "pending") {
        it.rows.cancel(event)
        cancelledAt.set(event, it.elapsed())
      }
    }
    await it.advance(10 * hour)

    expectNeverEarly(it, (event) => !resent.has(event))
    const downMs = faults.reduce((sum, fault) => sum + fault.downMs, killsAtStep.length * second)
    const kills = killsAtStep.length + faults.filter(({ kind }) => kind === "restart").length
    // After a kill, what was claimed waits for the end of its lease, and for a poll.
    const lateMs = downMs + 10 * second + kills * (50 * second + drainWithinMs)
    expectNotLate(it, lateMs, (event) => !disturbed.has(event))
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
      const cancelled = cancelledAt.get(String(event))
      if (cancelled === undefined) {
        expect(["delivered", "dead"]).toContain(row?.state)
        expect(row?.attempts).toBe(made.at(-1)?.number)
      } else {
        // Only an attempt in flight may follow. A kill during it leaves it unrecorded.
        expect(["delivered", "cancelled"]).toContain(row?.state)
        for (const { at } of made) expect(at).toBeLessThan(cancelled + second)
      }
      expect(it.pending(String(event))).toEqual([])
      const letters = it.deadLetters().filter(({ delivery }) => delivery === row?.id).length
      if (row?.state === "dead") expect(letters).toBeGreaterThan(0)
      if (kills === 0 && cancelled === undefined && !resent.has(String(event)))
        expect(letters).toBe(row?.state === "dead" ? 1 : 0)
    }
  })
  const { SCHEDULE_SEED } = process.env
  await fc.assert(property, {
    numRuns: Number(process.env.SCHEDULE_RUNS ?? 12),
    ...(SCHEDULE_SEED ? { seed: Number(SCHEDULE_SEED) } : {}),
  })
})
