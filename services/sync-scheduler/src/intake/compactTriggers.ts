import type { ConnectorTriggered } from "@sitewire/contracts"

/** All triggers of a batch for one connection. Times are ISO 8601. */
export type CompactedTrigger = {
  connection: string
  count: number
  firstAt: string
  lastAt: string
  correlation: string
}

/** Keeps one absurd record from overflowing the columns. */
const largestCount = 1_000_000_000

/** One entry per connection, with the sum, the earliest and the latest time, and the correlation of the first. */
export function compactTriggers(triggers: readonly ConnectorTriggered[]): CompactedTrigger[] {
  const byConnection = new Map<string, CompactedTrigger>()
  for (const { connection, count, first_at, last_at, correlation } of triggers) {
    const known = byConnection.get(connection)
    if (known === undefined) {
      const bounded = Math.min(count, largestCount)
      byConnection.set(connection, {
        connection,
        count: bounded,
        firstAt: first_at,
        lastAt: last_at,
        correlation,
      })
      continue
    }
    known.count = Math.min(known.count + count, largestCount)
    if (isBefore(first_at, known.firstAt)) known.firstAt = first_at
    if (isBefore(known.lastAt, last_at)) known.lastAt = last_at
  }
  return [...byConnection.values()]
}

/** ISO 8601 texts of different lengths do not sort by time: some have fractions of a second. */
function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : Date.parse(one) < Date.parse(other)
}
