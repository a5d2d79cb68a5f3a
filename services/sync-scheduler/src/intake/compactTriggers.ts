import type { ConnectorTriggered } from "@sitewire/contracts"

/** All triggers of a batch for one connection. Times are ISO 8601. */
export type CompactedTrigger = {
  connection: string
  count: number
  firstAt: string
  lastAt: string
  correlation: string
}

/** The count is shown and compared, never spent: a bound keeps one absurd record from overflowing the columns. */
const largestCount = 1_000_000_000

/** One entry for each connection, with the sum, the earliest, the latest, and the correlation of the first. */
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

/** As texts, times with and without fractions of a second stand in the wrong order; of one length, they have one form. */
function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : Date.parse(one) < Date.parse(other)
}
