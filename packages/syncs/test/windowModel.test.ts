import { openPool } from "@sitewire/database"
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { makeModelClock, modelUrl, type Step, startModel, type Tally } from "./fixtures/windowModel.ts"
import { emptyDatabase } from "./fixtures/windows.ts"

const connections = 300
/** Each case occurs more often than this before the test ends. */
const enough = 50

const seed = fc.integer({ min: 1, max: 2 ** 31 - 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("trigger" as const),
      seed,
      percent: fc.integer({ min: 1, max: 60 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("claim" as const),
      seed,
      limit: fc.constantFrom(1, 100, 1_000),
      perHost: fc.constantFrom(1, 4, 1_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 10_000 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 10_000, max: 80_000 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("set clock" as const),
      ms: fc.integer({ min: -120_000, max: 120_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("change source" as const), seed }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("pass until due" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose runs" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("finish" as const) }) },
)

/** MODEL_SEED repeats a run. A failed run prints its seed. */
test("whatever happens, no two starts are within a window, every trigger is covered, and no stale result is written", async () => {
  const { url, sql: prepare } = await emptyDatabase(1)
  await makeModelClock(prepare)
  const pool = openPool({ url: modelUrl(url), size: 1, name: "model" })
  onTestFinished(() => pool.close())
  const tally: Tally = {
    granted: 0,
    recorded: 0,
    stale: 0,
    lost: 0,
    "waits after losses": 0,
    abandoned: 0,
    "sent nothing": 0,
    discarded: 0,
  }
  const property = fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
    if (Object.values(tally).every((times) => times > enough)) return
    const model = await startModel(pool.sql, connections, tally)
    for (const each of steps) await model.perform(each)
    await model.settle()
  })
  const { MODEL_SEED } = process.env
  await fc.assert(property, {
    numRuns: 200,
    ...(MODEL_SEED ? { seed: Number(MODEL_SEED) } : {}),
  })
  for (const [what, times] of Object.entries(tally)) expect(times, what).toBeGreaterThan(enough)
})
