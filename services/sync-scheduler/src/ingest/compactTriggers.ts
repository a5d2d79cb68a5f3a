import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Traceparent } from "@sitewire/runtime"
import type { CompactedTrigger } from "@sitewire/syncs"

/** Counts are limited, so that no record can overflow a column in Postgres. */
const largestCount = 1_000_000_000

/** `traceparents`: the context of each trigger, if its trace is recorded. */
export function compactTriggers(
  triggers: readonly ConnectorTriggered[],
  traceparents: readonly (Traceparent | null)[] = [],
): CompactedTrigger[] {
  const byConnection = new Map<string, CompactedTrigger>()
  for (const [at, { connection, count, first_at, last_at, correlation }] of triggers.entries()) {
    const traceparent = traceparents[at] ?? null
    const known = byConnection.get(connection)
    if (known === undefined) {
      const bounded = Math.min(count, largestCount)
      byConnection.set(connection, {
        connection,
        count: bounded,
        firstAt: first_at,
        lastAt: last_at,
        correlation,
        traceparents: traceparent,
      })
      continue
    }
    known.count = Math.min(known.count + count, largestCount)
    if (isBefore(first_at, known.firstAt)) known.firstAt = first_at
    if (isBefore(known.lastAt, last_at)) known.lastAt = last_at
    if (traceparent !== null) known.traceparents = appendTraceparent(known.traceparents, traceparent)
  }
  return [...byConnection.values()]
}

/** A list with at most so many characters gets another context. So a list has at most eight. */
const longestTraceparents = 400

/** Limits the list, because a batch may have thousands of triggers of a connection. The statement limits the joined list. */
function appendTraceparent(known: string | null | undefined, traceparent: Traceparent): string {
  if (!known) return traceparent
  return known.length > longestTraceparents ? known : `${known} ${traceparent}`
}

/** ISO 8601 texts are comparable only if their lengths are equal, because some have fractions of a second. */
function isBefore(one: string, other: string): boolean {
  return one.length === other.length ? one < other : Date.parse(one) < Date.parse(other)
}
