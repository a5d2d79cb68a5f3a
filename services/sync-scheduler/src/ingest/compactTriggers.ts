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
  for (const [at, trigger] of triggers.entries()) {
    const { connection, count, first_at, last_at } = trigger
    const traceparent = traceparents[at] ?? null
    const known = byConnection.get(connection)
    if (known === undefined) {
      byConnection.set(connection, {
        ...trigger,
        count: Math.min(count, largestCount),
        traceparents: traceparent,
      })
      continue
    }
    known.count = Math.min(known.count + count, largestCount)
    if (isBefore(first_at, known.first_at)) known.first_at = first_at
    if (isBefore(known.last_at, last_at)) known.last_at = last_at
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
