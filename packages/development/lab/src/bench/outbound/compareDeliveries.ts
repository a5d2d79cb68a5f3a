import { judge, type Measure } from "../measure.ts"
import { measureInPairs, type Side } from "../measureInPairs.ts"

type Round = { perSecond: number; cpuMs: number }

const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length

/**
 * Compares rounds of deliveries in pairs: the time of a delivery, and the dispatcher's CPU time for it.
 *
 * @param settings.bounds the largest ratios that meet the targets
 */
export async function compareDeliveries(settings: {
  what: string
  bounds: { time: number; cpu: number }
  pairs: { least: number; most: number }
  run: (side: Side) => Promise<Round>
  progress: (line: string) => void
}): Promise<Measure[]> {
  const { what, bounds, pairs, progress } = settings
  const cpuMs: Record<Side, number[]> = { value: [], baseline: [] }
  const time = await measureInPairs<number>({
    measure: `ms of a delivery, ${what}`,
    bound: bounds.time,
    pairs,
    async run(side) {
      const round = await settings.run(side)
      cpuMs[side].push(round.cpuMs)
      return [1_000 / round.perSecond]
    },
    statistic: mean,
    progress,
  })
  const name = `CPU of the dispatcher for a delivery, ${what}`
  return [time, judge(name, mean(cpuMs.value), mean(cpuMs.baseline), "ratio-at-most", bounds.cpu)]
}
