/** What a part gets beside its installation. */
export type BenchOptions = {
  progress: (line: string) => void
  /** The measure's value in the file of --baseline; null if there is none. */
  before: (measure: string) => number | null
  /** How many deliveries are in the table of the part retained. */
  retained: number
  /** For how long the part paused watches. */
  pausedMs: number
}
