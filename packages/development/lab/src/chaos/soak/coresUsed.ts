import type { Sample } from "./sample.ts"

/** How many cores each process used since the sample before, with the time of each sample. */
export function coresUsed(samples: readonly Sample[]): { at: number; cores: Record<string, number> }[] {
  return samples.slice(1).map((sample, index) => {
    const before = samples[index] as Sample
    const cores = Object.entries(sample.cpuSeconds).flatMap(([name, seconds]): [string, number][] => {
      const used = seconds - (before.cpuSeconds[name] ?? Number.NaN)
      // A process that was started again has used less than the one before it.
      return used >= 0 ? [[name, used / (sample.at - before.at)]] : []
    })
    return { at: sample.at, cores: Object.fromEntries(cores) }
  })
}
