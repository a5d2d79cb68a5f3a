import { type Evidence, isTaken } from "../evidence/evidence.ts"
import { findForks } from "./findForks.ts"
import { describeState, findUncarried } from "./findStranded.ts"
import { findUnsent } from "./findUnsent.ts"
import { reassignments } from "./reassignments.ts"

export type OutboundLedger = {
  published: number
  /** Events for which a partner answered 2xx. */
  delivered: number
  /** Events, acknowledged, for which no partner ever answered 2xx. */
  lost: string[]
  /** 2xx answers beyond the first for an event, less its resends. */
  duplicates: number
  bound: number
  /** Requests with another body than published, a wrong signature, or for another's delivery. */
  forged: string[]
  /** Deliveries with more than one live chain of attempts, and why. */
  forked: string[]
  /** Attempts with a higher number than one that had been delivered, less resends and overdue deferrals. */
  afterDelivery: number
  /** Deliveries that the console has deferred for a resend. */
  resends: number
  /** Resends that were accepted and that no attempt followed. */
  unsent: string[]
  /** Unfinished deliveries that neither their row nor a record carries. */
  uncarried: string[]
  /** Deliveries whose rows say something else than the partners saw, or that are still unfinished. */
  misrecorded: string[]
  uncommitted: number
  /** How often deliveries were deferred, by reason. */
  deferred: Record<string, number>
  holds: boolean
}

/**
 * Compares what was published, what the database says, what was committed and what partners saw.
 *
 * `bound`: an attempt is made again only if its delivery was outstanding, outcome not durable, when its partition was
 * reassigned or its claim lost. So each of these repeats at most what all members have outstanding (one more member during a
 * rebalance, which is an extra one that comes and goes): the sum over the faults of reassignments x members x outstanding. A
 * sweep may defer a delivery whose record still exists, so each overdue deferral adds one. More attempts after deliveries
 * than the bound are a fork as well.
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
  for (const { event } of published) {
    const taken = (byEvent.get(event) ?? []).filter(isTaken).length
    if (taken === 0) lost.push(event)
    const row = rows.get(event)
    duplicates += Math.max(0, taken - 1 - (resendsOf.get(row?.delivery ?? "")?.length ?? 0))
    const state = row ? describeState(row) : "no row"
    if ((state === "delivered") !== taken > 0) misrecorded.push(`${event}: ${state}, taken ${taken} times`)
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
      request.sha256 === row.sha256 &&
      request.channel === event.channel &&
      request.delivery === row.delivery
    if (!right) forged.push(`${request.delivery} attempt ${request.number} at channel ${request.channel}`)
  }

  const deferred = Object.fromEntries(
    [...Map.groupBy(deferrals, ({ reason }) => reason)].map(([reason, of]) => [reason, of.length]),
  )
  const bound =
    (deferred.overdue ?? 0) +
    faults.reduce((sum, { kind }) => {
      const hit = members + (kind === "rebalance" ? 1 : 0)
      return sum + reassignments(kind, members) * hit * outstanding
    }, 0)
  const { forked, afterDelivery } = findForks(evidence)
  if (afterDelivery > bound) forked.push(`${afterDelivery} attempts after deliveries, bound ${bound}`)

  const unsent = findUnsent(evidence)
  const uncarried = findUncarried(evidence)
  const uncommitted = evidence.carried.events.length + evidence.carried.deliveries.length
  const findings = [lost, forged, forked, misrecorded, unsent, uncarried]
  return {
    published: published.length,
    delivered: published.length - lost.length,
    lost,
    duplicates,
    bound,
    forged,
    forked,
    afterDelivery,
    resends: deferred.resend ?? 0,
    unsent,
    uncarried,
    misrecorded,
    uncommitted,
    deferred,
    holds: findings.every((found) => found.length === 0) && uncommitted === 0 && duplicates <= bound,
  }
}
