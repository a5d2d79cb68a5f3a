/** What a part of the bench (one benchmark, such as `throughput`) gets beside its installation. */
export type BenchOptions = {
  progress: (line: string) => void
  /** The measure's value in the file of --baseline; null if the file has none. */
  before: (measure: string) => number | null
  /** How many deliveries the part `retained` stores before it measures. */
  retained: number
  /** How many milliseconds the part `paused` measures. */
  pausedMs: number
}
