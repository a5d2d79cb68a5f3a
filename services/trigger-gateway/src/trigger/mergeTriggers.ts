import { randomUUID } from "node:crypto"
import type { ConnectorTriggered } from "@sitewire/contracts"

/** A trigger whose token was right; `at` in milliseconds since the epoch. */
export type Trigger = { connection: string; at: number }

/**
 * One record for each connection, in the order of their first triggers. The record brings its own correlation, and
 * all who share it are told that one: an id of each caller's own would name nothing that can be found later.
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
  const written = writeTimes()
  for (const [connection, { first, last, count }] of spans) {
    records.set(connection, {
      connection,
      first_at: written(first),
      last_at: written(last),
      count,
      correlation: randomUUID(),
    })
  }
  return records
}

/** Writes each time once: hundreds of triggers share the few milliseconds of a batch. */
function writeTimes(): (at: number) => string {
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
