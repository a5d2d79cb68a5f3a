import type { PartnersState } from "./partnersState.ts"

export type MixedLedger = {
  published: number
  /** Events that Kafka acknowledged and that no partner accepted. */
  lost: number
  duplicates: number
  /** Requests with a wrong signature or body, or to another partner. */
  forged: number
  /** Trigger calls with a 202. */
  accepted: number
  /** Trigger calls with any other status, without a response, or not made because no gateway was there. */
  rejected: number
  /** How many trigger calls got each status. 0: no response. */
  statuses: Record<number, number>
  /** Trigger calls that were not made because no gateway was there. */
  withoutGateway: number
  /** Trigger calls with a status that no gateway may give here: neither 202 nor 503. */
  unexpected: number
  /**
   * Connections whose newest accepted trigger had no GET afterwards. Many connections are triggered only once, so that no later
   * trigger hides that one was lost.
   */
  forgotten: string[]
  /** The shortest time in milliseconds between the starts that Postgres granted to two syncs of one connection. */
  shortestGapMs: number | null
  /**
   * The same between two GETs, from the earliest time at which the first can have arrived. Not judged: it is shorter than the window
   * by what the first one needs over 250 ms to the source, which is a limit in docs/guarantees.md.
   */
  shortestRequestGapMs: number | null
  /** Deliveries that are neither delivered nor dead, and syncs that are due, although all is quiet. */
  unfinished: number
  holds: boolean
}

export function reconcile(evidence: {
  published: number
  statuses: Record<number, number>
  withoutGateway: number
  accepted: ReadonlyMap<string, number>
  partners: PartnersState
  unfinished: number
  shortestGapMs: number | null
  windowMs: number
}): MixedLedger {
  const { published, statuses, withoutGateway, partners, unfinished, shortestGapMs, windowMs } = evidence
  const forgotten = [...evidence.accepted]
    .filter(([connection, sentAt]) => (partners.gets[connection] ?? 0) < sentAt)
    .map(([connection]) => connection)
  const calls = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const accepted = statuses[202] ?? 0
  const unexpected = calls - accepted - (statuses[503] ?? 0) - (statuses[0] ?? 0)
  const rejected = calls - accepted + withoutGateway
  const { missing: lost, duplicates, forged } = partners
  const shortestRequestGapMs = partners.closest?.gapMs ?? null
  const isSpaced = shortestGapMs === null || shortestGapMs >= windowMs
  return {
    ...{ published, lost, duplicates, forged, accepted, rejected, statuses, withoutGateway, unexpected },
    ...{ forgotten, shortestGapMs, shortestRequestGapMs, unfinished },
    holds:
      published > 0 &&
      accepted > 0 &&
      lost + forged + forgotten.length + unfinished + unexpected === 0 &&
      isSpaced,
  }
}
