/**
 * A point in the order of Postgres's commits: what a stream with this position has sent is what the snapshot contains.
 * So nothing is missed if transactions commit in another order than they began.
 */
export type StreamPosition = { atMs: number; snapshot: string }

/** The id of an event, which a client returns in Last-Event-ID. */
export function formatPosition({ atMs, snapshot }: StreamPosition): string {
  return `${atMs}.${snapshot}`
}

/** Null if the text is not from `formatPosition`. */
export function parsePosition(text: string): StreamPosition | null {
  const match = /^(\d{1,15})\.((\d{1,19}):(\d{1,19}):((?:\d{1,19},)*\d{1,19})?)$/.exec(text)
  if (!match) return null
  const [, atMs, snapshot = "", xmin = "", xmax = "", running] = match
  // Postgres rejects a snapshot whose numbers are not in this order.
  const numbers = [xmin, ...(running === undefined ? [] : running.split(",")), xmax].map(BigInt)
  const ordered = numbers.every((each, at) => {
    const before = numbers[at - 1]
    return (
      before === undefined || before < each || (before === each && (at === 1 || at === numbers.length - 1))
    )
  })
  const inRange = numbers.every((each) => each > 0n && each < 2n ** 63n)
  return ordered && inRange ? { atMs: Number(atMs), snapshot } : null
}
