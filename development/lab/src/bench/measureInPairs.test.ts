import { expect, test } from "vitest"
import { percentile } from "../shared/percentile.ts"
import { comparePooled, measureInPairs, type PairedMeasure, type Side } from "./measureInPairs.ts"

const mean = (samples: readonly number[]) => samples.reduce((sum, of) => sum + of, 0) / samples.length

/** A measure whose samples come from `sampleOf`, with how many turns it took. */
function paired(sampleOf: (side: Side, pair: number) => number[]) {
  const turns: Side[] = []
  const settings: PairedMeasure<number> = {
    measure: "a measure",
    bound: 1.2,
    pairs: { least: 3, most: 6 },
    run: async (side, pair) => {
      turns.push(side)
      return sampleOf(side, pair)
    },
    statistic: mean,
    progress: () => {},
  }
  return { turns, run: () => measureInPairs(settings) }
}

test("samples of all turns are pooled, so a statistic is that of all and not a mean of each turn's", () => {
  const p99 = (seconds: readonly number[][]) => percentile(seconds.flat(), 0.99)
  const quiet = Array.from({ length: 99 }, () => 1)
  const seen = comparePooled({ value: [[...quiet, 50], quiet], baseline: [quiet, quiet] }, p99)
  expect(seen).toMatchObject({ value: 1, baseline: 1, ratio: 1 })
})

test("a ratio that is clearly below its bound holds after the least number of pairs", async () => {
  const { turns, run } = paired((side) => (side === "value" ? [10.4, 10.6] : [9.9, 10.1]))
  expect(await run()).toMatchObject({ holds: true, ratio: 1.05, value: 10.5, baseline: 10 })
  expect(turns).toEqual(["value", "baseline", "baseline", "value", "value", "baseline"])
})

test("a ratio that is clearly above its bound does not hold", async () => {
  const { run } = paired((side) => (side === "value" ? [15, 15.2] : [10, 10.1]))
  expect(await run()).toMatchObject({ holds: false, ratio: 1.502 })
})

test("noise across the bound takes more pairs, and without a verdict after the last one holds is null with the reason", async () => {
  const { turns, run } = paired((side, pair) => (side === "value" ? [pair % 2 === 0 ? 8 : 16] : [10]))
  const measure = await run()
  expect(turns).toHaveLength(12)
  expect(measure).toMatchObject({ holds: null, ratio: 1.2 })
  expect(measure.reason).toMatch(/after 6 pairs the ratio may be anything from/)
})

test("noise that more pairs average out gets a verdict before the last one", async () => {
  const { turns, run } = paired((side, pair) => (side === "value" ? [pair === 0 ? 13.2 : 10] : [10]))
  expect(await run()).toMatchObject({ holds: true })
  expect(turns.length).toBeGreaterThan(6)
  expect(turns.length).toBeLessThan(12)
})
