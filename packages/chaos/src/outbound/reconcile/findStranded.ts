import type { DeliveryRow, Evidence } from "../evidence/evidence.ts"

/** A delivery that is sent again stays `delivered`, and is unfinished until the attempt is made. */
export function describeState({ state, deferred, scheduled }: DeliveryRow): string {
  if (deferred) return `${state}, deferred`
  return scheduled ? `${state}, scheduled` : state
}

/** A deferred delivery's row carries it: a dispatcher claims it. Any other unfinished one needs a record. */
export function findUncarried({ deliveries, carried }: Pick<Evidence, "deliveries" | "carried">): string[] {
  const events = new Set(carried.events)
  const dueAgain = new Set(carried.deliveries)
  return deliveries
    .filter(({ state, scheduled }) => state === "pending" || scheduled)
    .filter(({ deferred, event, delivery }) => !deferred && !events.has(event) && !dueAgain.has(delivery))
    .map((row) => `${row.delivery}: ${describeState(row)}, ${row.attempts} attempts`)
}
