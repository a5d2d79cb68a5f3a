import { coresUsed } from "./coresUsed.ts"
import type { Sample } from "./sample.ts"

type Range = { first: number; largest: number; last: number }

/** What a soak run reports: memory and sizes in MB, CPU time in cores, lateness in milliseconds and seconds. */
export function summarise(samples: readonly Sample[]) {
  const megabytes = (bytes: number) => Math.round((10 * bytes) / 2 ** 20) / 10
  const ranges = (of: (sample: Sample) => Record<string, number>, convert = (value: number) => value) => {
    const names = [...new Set(samples.flatMap((sample) => Object.keys(of(sample))))].sort()
    return Object.fromEntries(
      names.map((name): [string, Range] => {
        const values = samples.flatMap((sample) => of(sample)[name] ?? []).map(convert)
        return [name, { first: values[0] ?? 0, largest: Math.max(...values), last: values.at(-1) ?? 0 }]
      }),
    )
  }
  const used = coresUsed(samples)
  const names = [...new Set(used.flatMap(({ cores }) => Object.keys(cores)))].sort()
  const cores = Object.fromEntries(
    names.map((name) => {
      const values = used.flatMap((sample) => sample.cores[name] ?? []).sort((a, b) => a - b)
      const at = (share: number) =>
        Math.round(100 * (values[Math.floor(share * (values.length - 1))] ?? 0)) / 100
      return [name, { median: at(0.5), p95: at(0.95) }]
    }),
  )
  const p99 = samples.flatMap(({ latency }) => latency.p99 ?? []).sort((a, b) => a - b)
  const largest = (values: (number | null)[]) => Math.max(0, ...values.map((value) => value ?? 0))
  return {
    minutes: Math.round(((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 6) / 10,
    memory_mb: ranges(({ memoryBytes }) => memoryBytes, megabytes),
    cores,
    descriptors: ranges(({ descriptors }) => descriptors),
    tables_mb: ranges(({ tableBytes }) => tableBytes, megabytes),
    indexes_mb: ranges(({ indexBytes }) => indexBytes, megabytes),
    p99_ms: { median: p99[Math.floor(p99.length / 2)] ?? null, largest: p99.at(-1) ?? null },
    oldest_due_sync_s: largest(samples.map(({ oldestSync }) => oldestSync)),
    oldest_due_attempt_s: largest(samples.map(({ oldestAttempt }) => oldestAttempt)),
  }
}
