import { type Evidence, isSuccess } from "./evidence.ts"
import { findForks, reassignments } from "./findForks.ts"
import { describeState, findStranded, findUnsent, findWithoutCarrier } from "./findUnfinished.ts"

export type OutboundLedger = {
  published: number
  delivered: number
  /** Acknowledged events for which no partner ever responded with 2xx, and that are not erased. */
  lost: string[]
  /** Events that erasures erased before or after they were sent. */
  erased: number
  /** The number of 2xx responses after an event's first one, without those that resends and a second record of the event explain. */
  duplicates: number
  /** The largest number of duplicates that the faults explain (see `reconcile`). */
  bound: number
  /**
   * Requests with a wrong body, signature, channel or delivery. Two records of an event that are sent at the same time may have two
   * deliveries' ids, of which one is stored.
   */
  forged: string[]
  /**
   * Deliveries with an attempt that no event, failed attempt or resend explains (see
   * findForks). If `afterDelivery` is larger than `bound`, one more line says so.
   */
  forked: string[]
  /**
   * How many attempts followed a successful one, without those that a resend explains.
   */
  afterDelivery: number
  resends: number
  /** Accepted resends that led to no request (see findUnsent). */
  unsent: string[]
  /** Unfinished deliveries that no dispatcher will ever get. */
  stranded: string[]
  /** Pending deliveries that wait for nothing (see findWithoutCarrier). */
  withoutCarrier: string[]
  /** Events whose newest record of `site.ready.outcome` is missing, or states something else than the row. */
  unheard: string[]
  /** Events whose delivery is unfinished, or whose row contradicts the partner's responses. */
  misrecorded: string[]
  uncommitted: number
  deferred: Record<string, number>
  holds: boolean
}

/**
 * Compares what was published and committed with the database and with the partners' requests.
 *
 * `bound` is the largest number of duplicates that the faults explain. An attempt is repeated only if its
 * delivery was outstanding (begun, but not finished) when its partition was reassigned or its claim was lost.
 * So a reassignment repeats at most what all members (the dispatchers) have outstanding. The bound is the sum
 * over all faults of reassignments x members x outstanding. A rebalance has one member more, because an extra
 * dispatcher joins.
 */
export function reconcile(evidence: Evidence): OutboundLedger {
  const { published, deliveries, requests, deferrals, faults, members, outstanding } = evidence
  const events = new Map(published.map((event) => [event.event, event]))
  const rows = new Map(deliveries.map((row) => [row.event, row]))
  const byEvent = Map.groupBy(requests, ({ event }) => event)
  const resendsOf = Map.groupBy(
    deferrals.filter(({ reason }) => reason === "resend"),
    ({ delivery }) => delivery,
  )

  const lost: string[] = []
  const misrecorded: string[] = []
  let duplicates = 0
  let erased = 0
  for (const { event, twice, erasable } of published) {
    const successes = (byEvent.get(event) ?? []).filter(isSuccess).length
    const row = rows.get(event)
    const isErased = erasable && row?.state === "erased"
    if (isErased) erased += 1
    else if (successes === 0) lost.push(event)
    const resends = resendsOf.get(row?.delivery ?? "")?.length ?? 0
    duplicates += Math.max(0, successes - 1 - resends - (twice ? 1 : 0))
    const state = row ? describeState(row) : "no row"
    if (!isErased && (state === "delivered") !== successes > 0)
      misrecorded.push(`${event}: ${state}, taken ${successes} times`)
  }

  const forged: string[] = []
  for (const request of requests) {
    const event = events.get(request.event)
    const row = rows.get(request.event)
    const right =
      event !== undefined &&
      row !== undefined &&
      request.verified &&
      request.sha256 === event.sha256 &&
      (request.sha256 === row.sha256 || row.state === "erased") &&
      request.channel === event.channel &&
      (request.delivery === row.delivery || (event.twice && request.number === 1))
    if (!right) forged.push(`${request.delivery} attempt ${request.number} at channel ${request.channel}`)
  }

  const deferred = Object.fromEntries(
    [...Map.groupBy(deferrals, ({ reason }) => reason)].map(([reason, of]) => [reason, of.length]),
  )
  const bound = faults.reduce((sum, { kind }) => {
    const hit = members + (kind === "rebalance" ? 1 : 0)
    return sum + reassignments(kind, members) * hit * outstanding
  }, 0)
  const { forked, afterDelivery } = findForks(evidence)
  if (afterDelivery > bound) forked.push(`${afterDelivery} attempts after deliveries, bound ${bound}`)

  const newest = new Map<string, Evidence["outcomes"][number]>()
  for (const outcome of evidence.outcomes)
    if ((newest.get(outcome.event_id)?.ended_at ?? "") <= outcome.ended_at)
      newest.set(outcome.event_id, outcome)
  // The erasure of what had ended before is not published.
  const unheard = deliveries.flatMap(({ event, state }) => {
    const heard = newest.get(event)?.state
    return heard === state || (state === "erased" && heard)
      ? []
      : `${event}: ${state}, published as ${heard ?? "nothing"}`
  })
  const unsent = findUnsent(evidence)
  const stranded = findStranded(evidence)
  const withoutCarrier = findWithoutCarrier(evidence)
  const uncommitted = evidence.uncommittedKeys.events.length + evidence.uncommittedKeys.deliveries.length
  const findings = [lost, forged, forked, misrecorded, unheard, unsent, stranded, withoutCarrier]
  return {
    published: published.length,
    delivered: published.length - lost.length,
    lost,
    erased,
    duplicates,
    bound,
    forged,
    forked,
    afterDelivery,
    resends: deferred.resend ?? 0,
    unsent,
    stranded,
    withoutCarrier,
    misrecorded,
    unheard,
    uncommitted,
    deferred,
    holds: findings.every((found) => found.length === 0) && uncommitted === 0 && duplicates <= bound,
  }
}
