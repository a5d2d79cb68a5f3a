/**
 * A point in the order of Postgres's commits: what a stream with this position has sent is what the snapshot contains.
 * So nothing is missed if transactions commit in another order than they began.
 */
export type StreamPosition = { atMs: number; snapshot: string }

/** The id of an event, which a client returns in Last-Event-ID. */
export function formatPosition({ atMs, snapshot }: StreamPosition): string {
  return `${atMs}.${snapshot}`
}

/** Null if the text is not from `formatPosition`. Postgres rejects snapshots with wrong numbers. */
export function parsePosition(text: string): StreamPosition | null {
  const match = /^(\d{1,15})\.(\d{1,19}:\d{1,19}:(?:(?:\d{1,19},)*\d{1,19})?)$/.exec(text)
  return match ? { atMs: Number(match[1]), snapshot: match[2] ?? "" } : null
}
