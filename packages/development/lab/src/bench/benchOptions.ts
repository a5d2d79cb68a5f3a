export type BenchOptions = {
  progress: (line: string) => void
  /**
   * The value that an earlier run saved for this measure (in the file of --baseline). Null if the file has
   * none.
   */
  before: (measure: string) => number | null
  /** How many deliveries the part `retained` stores before it measures. */
  retained: number
  /** For how many milliseconds the part `paused` watches the waiting deliveries. */
  pausedMs: number
}
