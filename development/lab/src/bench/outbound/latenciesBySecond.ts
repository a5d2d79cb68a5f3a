import { percentile } from "../../shared/percentile.ts"
import type { Measure } from "../measure.ts"
import { measureInPairs, type PairedMeasure } from "../measureInPairs.ts"
import type { Taken } from "./receiver.ts"

/** The latencies of the events that were published in the same second, in milliseconds. */
export type Second = number[]

export function latenciesBySecond(arrivals: Taken["arrivals"], seconds: number): Second[] {
  const begunAt = Math.min(...arrivals.map(({ publishedAt }) => publishedAt))
  const of: Second[] = Array.from({ length: seconds }, () => [])
  for (const { publishedAt, latencyMs } of arrivals)
    of[Math.min(seconds - 1, Math.floor((publishedAt - begunAt) / 1_000))]?.push(latencyMs)
  return of
}

export const describeSeconds = (seconds: readonly Second[]): string =>
  `p99 by second ${seconds.map((of) => percentile(of, 0.99).toFixed(0)).join(" ")} ms`

/** Compares the p99 of short phases with and without what may disturb them. */
export const compareP99 = (phases: Omit<PairedMeasure<Second>, "statistic">): Promise<Measure> =>
  measureInPairs({ ...phases, statistic: (seconds) => percentile(seconds.flat(), 0.99) })
