import { createRandom } from "../shared/random.ts"
import { describeTarget, type Measure, round } from "./measure.ts"

export type Side = "value" | "baseline"

export type Comparison = {
  value: number
  baseline: number
  ratio: number
  /** The confidence interval of the ratio: 90 of 100 ratios of resampled data lie between `low` and `high`. */
  low: number
  high: number
}

const resamples = 400

/**
 * Applies a statistic, such as p99, to the samples of both sides, and divides the value by the baseline. The ratio's
 * confidence interval is by bootstrap: the ratio is computed again and again for samples drawn with replacement. All
 * that was measured in one second or round is one sample, because a disturbance affects all of it.
 */
export function comparePooled<Sample>(
  samples: Record<Side, readonly Sample[]>,
  statistic: (samples: readonly Sample[]) => number,
): Comparison {
  // The same random numbers in each run, so that equal samples get equal verdicts.
  const random = createRandom(1)
  const draw = (from: readonly Sample[]) => from.map(() => random.pick(from))
  const ratios = Float64Array.from(
    { length: resamples },
    () => statistic(draw(samples.value)) / statistic(draw(samples.baseline)),
  ).sort()
  const at = (share: number) => ratios[Math.floor(share * resamples)] ?? Number.NaN
  const [value, baseline] = [statistic(samples.value), statistic(samples.baseline)]
  return { value, baseline, ratio: value / baseline, low: at(0.05), high: at(0.95) }
}

/**
 * Whether the ratio is at most the bound. Null if the confidence interval, from `low` to `high`, contains the bound.
 */
function isAtMost({ low, high }: Pick<Comparison, "low" | "high">, bound: number): boolean | null {
  if (high <= bound) return true
  return low > bound ? false : null
}

export type PairedMeasure<Sample> = {
  measure: string
  /** The largest ratio that meets the target. */
  bound: number
  /** At least `least` pairs are run. More follow, up to `most`, only while there is no verdict. */
  pairs: { least: number; most: number }
  run: (side: Side, pair: number) => Promise<Sample[]>
  statistic: (samples: readonly Sample[]) => number
  progress: (line: string) => void
}

/**
 * Runs pairs until there is a verdict or no pair is left. A pair is one run of each side, value and baseline.
 * Which side is first alternates.
 */
export async function measureInPairs<Sample>(settings: PairedMeasure<Sample>): Promise<Measure> {
  const { measure, bound, pairs, run, statistic, progress } = settings
  const samples: Record<Side, Sample[]> = { value: [], baseline: [] }
  for (let pair = 0; ; ) {
    const order: Side[] = pair % 2 === 0 ? ["value", "baseline"] : ["baseline", "value"]
    for (const side of order) samples[side].push(...(await run(side, pair)))
    pair += 1
    const compared = comparePooled(samples, statistic)
    const interval = `${compared.low.toFixed(2)} to ${compared.high.toFixed(2)}`
    progress(`${measure}: ${compared.ratio.toFixed(3)} after ${pair} pairs (${interval})`)
    if (pair < pairs.least) continue
    const holds = isAtMost(compared, bound)
    if (holds === null && pair < pairs.most) continue
    return {
      measure,
      value: round(compared.value),
      baseline: round(compared.baseline),
      ratio: round(compared.ratio),
      target: describeTarget("ratio-at-most", bound),
      holds,
      ...(holds === null && { reason: `after ${pair} pairs the ratio may be anything from ${interval}` }),
    }
  }
}
