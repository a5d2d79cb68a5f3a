import type { ConnectorTriggered } from "@sitewire/contracts"
import type { CompactedTrigger } from "@sitewire/database"

/** Counts are limited, so that no record can overflow a column in Postgres. */
const largestCount = 1_000_000_000

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

/** ISO 8601 texts are comparable only if their lengths are equal, because some have fractions of a second. */
function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : Date.parse(one) < Date.parse(other)
}
