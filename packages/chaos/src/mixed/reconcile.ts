import type { PartnersState } from "./partnersState.ts"

export type MixedLedger = {
  published: number
  /** Events that Kafka acknowledged and that no partner accepted. */
  lost: number
  duplicates: number
  /** Requests with a wrong signature or body. */
  forged: number
  /** Trigger calls with a 202. */
  accepted: number
  /** Trigger calls with any other status, or without a response. */
  rejected: number
  /** How many trigger calls got each status. 0: no response. */
  statuses: Record<number, number>
  /** Connections whose newest accepted trigger had no GET afterwards. */
  forgotten: string[]
  /** The shortest time in milliseconds between two GETs of one connection. */
  shortestGapMs: number | null
  /** Deliveries that are neither delivered nor dead, and syncs that are due, although all is quiet. */
  unfinished: number
  holds: boolean
}

export function reconcile(evidence: {
  published: number
  statuses: Record<number, number>
  accepted: ReadonlyMap<string, number>
  partners: PartnersState
  unfinished: number
  windowMs: number
}): MixedLedger {
  const { published, statuses, partners, unfinished, windowMs } = evidence
  const forgotten = [...evidence.accepted]
    .filter(([connection, sentAt]) => (partners.gets[connection] ?? 0) < sentAt)
    .map(([connection]) => connection)
  const calls = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const accepted = statuses[202] ?? 0
  const { missing: lost, duplicates, forged } = partners
  const shortestGapMs = partners.closest?.gapMs ?? null
  const isSpaced = shortestGapMs === null || shortestGapMs >= windowMs
  return {
    ...{ published, lost, duplicates, forged, accepted, rejected: calls - accepted, statuses, forgotten },
    ...{ shortestGapMs, unfinished },
    holds: lost + forged + forgotten.length + unfinished === 0 && isSpaced,
  }
}
