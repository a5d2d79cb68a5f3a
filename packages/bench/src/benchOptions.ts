/** What a part gets beside its installation. */
export type Bench = {
  progress: (line: string) => void
  /** The same measure's value in the file of --baseline; null without one. */
  before: (measure: string) => number | null
  /** Deliveries that are kept in the table. */
  kept: number
  /** How long deliveries of a paused channel are watched. */
  pausedMs: number
}
