import type { DeliveryRow, Evidence } from "../evidence/evidence.ts"

/** A resent delivery has the state `delivered`, but is unfinished until its attempt is made. */
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
