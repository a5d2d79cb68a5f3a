import type { DeliveryRow, Evidence } from "../evidence/evidence.ts"

/**
 * Adds to the state whether the delivery waits for an attempt, because a resent delivery keeps the state
 * `delivered` although its next attempt is not made yet.
 */
export function describeState({ state, deferred, scheduled }: DeliveryRow): string {
  if (deferred) return `${state}, deferred`
  return scheduled ? `${state}, scheduled` : state
}

/**
 * Finds unfinished deliveries that no dispatcher will ever get: they are neither deferred in their row nor in
 * an uncommitted record.
 */
export function findStranded({
  deliveries,
  uncommittedKeys,
}: Pick<Evidence, "deliveries" | "uncommittedKeys">): string[] {
  const events = new Set(uncommittedKeys.events)
  const dueAgain = new Set(uncommittedKeys.deliveries)
  return deliveries
    .filter(({ state, scheduled }) => state === "pending" || scheduled)
    .filter(({ deferred, event, delivery }) => !deferred && !events.has(event) && !dueAgain.has(delivery))
    .map((row) => `${row.delivery}: ${describeState(row)}, ${row.attempts} attempts`)
}
