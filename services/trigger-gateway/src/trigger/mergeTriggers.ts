import { randomUUID } from "node:crypto"
import type { ConnectorTriggered } from "@sitewire/contracts"

/** A trigger with a valid token; `at` in milliseconds since the epoch. */
export type Trigger = { connection: string; at: number }

/**
 * Merges the triggers into one record per connection, in the order of their first occurrence. All callers of a
 * connection's trigger URL get the same correlation id, with which its sync is logged.
 */
export function mergeTriggers(triggers: readonly Trigger[]): Map<string, ConnectorTriggered> {
  const spans = new Map<string, { first: number; last: number; count: number }>()
  for (const { connection, at } of triggers) {
    const span = spans.get(connection)
    if (span) {
      span.first = Math.min(span.first, at)
      span.last = Math.max(span.last, at)
      span.count += 1
    } else {
      spans.set(connection, { first: at, last: at, count: 1 })
    }
  }
  const records = new Map<string, ConnectorTriggered>()
  const format = cachedTimeFormat()
  for (const [connection, { first, last, count }] of spans) {
    records.set(connection, {
      connection,
      first_at: format(first),
      last_at: format(last),
      count,
      correlation: randomUUID(),
    })
  }
  return records
}

function cachedTimeFormat(): (at: number) => string {
  const texts = new Map<number, string>()
  return (at) => {
    let text = texts.get(at)
    if (text === undefined) {
      text = new Date(at).toISOString()
      texts.set(at, text)
    }
    return text
  }
}
