import { clockMs, type DeliveryRow, type Evidence } from "./evidence.ts"

/**
 * Finds accepted resends that led to no request: no delivery was deferred for them, their job is not done, or
 * no request followed the deferral, although the delivery was not erased. (The time of an attempt is by the clock of a dispatcher, which a fault sets.)
 */
export function findUnsent({ deferrals, deliveries, accepted, jobs, requests }: Evidence): string[] {
  const unsent: string[] = []
  const erased = new Set(deliveries.filter(({ state }) => state === "erased").map(({ delivery }) => delivery))
  const requestsOf = Map.groupBy(requests, ({ delivery }) => delivery)
  const resends = deferrals.filter(({ reason }) => reason === "resend")
  const resendsOf = Map.groupBy(resends, ({ delivery }) => delivery)
  for (const { delivery, at } of resends) {
    const followed = requestsOf.get(delivery)?.some((request) => request.at >= at - clockMs)
    if (!followed && !erased.has(delivery))
      unsent.push(`${delivery}: no request after the resend at ${new Date(at).toISOString()}`)
  }
  let promised = 0
  for (const one of accepted) {
    if (one.kind === "delivery") {
      promised += 1
      const deferred = resendsOf
        .get(one.delivery)
        ?.some(({ at }) => at >= one.requestedAt - clockMs && at <= one.acceptedAt + clockMs)
      if (!deferred)
        unsent.push(`${one.delivery}: accepted at ${new Date(one.acceptedAt).toISOString()}, not deferred`)
    } else {
      const job = jobs.find(({ job }) => job === one.job)
      promised += job?.resent ?? 0
      if (job?.state !== "done") unsent.push(`job ${one.job}: ${job?.state ?? "no row"}`)
    }
  }
  if (promised > resends.length)
    unsent.push(`${promised} deliveries to be resent, ${resends.length} deferred`)
  return unsent
}

/**
 * Adds to the state whether the delivery waits for an attempt, because a resent delivery keeps the state
 * `delivered` although its next attempt is not made yet.
 */
export function describeState({ state, deferred, scheduled }: DeliveryRow): string {
  if (deferred) return `${state}, deferred`
  return scheduled ? `${state}, scheduled` : state
}

/**
 * Finds deliveries without a carrier: they are pending, but no row of `waiting_delivery` causes their next attempt. No
 * statement may leave such a delivery, not even if a record of it is uncommitted.
 */
export function findWithoutCarrier({ deliveries }: Pick<Evidence, "deliveries">): string[] {
  return deliveries
    .filter(({ state, deferred, scheduled }) => state === "pending" && !deferred && !scheduled)
    .map(({ delivery, attempts }) => `${delivery}: pending, waits for nothing, ${attempts} attempts`)
}

/**
 * Finds unfinished deliveries that no dispatcher gets from Kafka: they are neither deferred in their row nor in an
 * uncommitted record.
 */
export function findStranded(evidence: Pick<Evidence, "deliveries" | "uncommittedKeys">): string[] {
  const { deliveries, uncommittedKeys } = evidence
  const events = new Set(uncommittedKeys.events)
  const dueAgain = new Set(uncommittedKeys.deliveries)
  return deliveries
    .filter(({ state, scheduled }) => state === "pending" || scheduled)
    .filter(({ deferred, event, delivery }) => !deferred && !events.has(event) && !dueAgain.has(delivery))
    .map((row) => `${row.delivery}: ${describeState(row)}, ${row.attempts} attempts`)
}
