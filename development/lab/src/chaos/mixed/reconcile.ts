import type { PartnersState } from "../load/seen.ts"

export type MixedLedger = {
  published: number
  /** Events that Kafka acknowledged and that no partner accepted. */
  lost: number
  duplicates: number
  /** Requests with a wrong signature or body, or to another partner. */
  forged: number
  /** Requests with another delivery id than an earlier request for the same event. */
  renamed: number
  /** Trigger calls with a 202. */
  accepted: number
  /** Trigger calls with any other status, without a response, or not made because no gateway was there. */
  rejected: number
  /** How many trigger calls got each status, without the 404 of replaced tokens. 0: no response. */
  statuses: Record<number, number>
  /** Trigger calls that got a 202 although their token had been replaced. */
  revived: number
  /** Trigger calls that were not made because no gateway was there. */
  withoutGateway: number
  /** Trigger calls with a status that no gateway may give here: neither 202 nor 503. */
  unexpected: number
  /** Connections whose newest accepted trigger had no GET, or no successful sync in the database, afterwards. */
  forgotten: string[]
  /** The shortest time in milliseconds between the starts that Postgres granted to two syncs of one connection. */
  shortestGapMs: number | null
  /**
   * The same between two GETs, from the earliest time at which the first can have arrived. Not judged: it is shorter than the window
   * by what the first one needs over 5 s to the source, which is a limit in docs/guarantees.md.
   */
  shortestRequestGapMs: number | null
  /** Events without a delivery, deliveries that are neither delivered nor dead, and due syncs, although all is quiet. */
  unfinished: number
  holds: boolean
}

/** A sync's start may seem to be this many milliseconds before the call that caused it: two processes read the clock. */
const clockMs = 50

export function reconcile(evidence: {
  published: number
  statuses: Record<number, number>
  revived: number
  withoutGateway: number
  /** For each connection, when its newest accepted call was sent. */
  accepted: ReadonlyMap<string, number>
  /** For each connection, when its newest successful sync in the database began. */
  synced: ReadonlyMap<string, number>
  partners: PartnersState
  unfinished: number
  shortestGapMs: number | null
  windowMs: number
}): MixedLedger {
  const { published, statuses, revived, withoutGateway, partners, synced, unfinished, shortestGapMs } =
    evidence
  const covered = (connection: string) =>
    Math.min(partners.gets[connection] ?? 0, (synced.get(connection) ?? 0) + clockMs)
  const forgotten = [...evidence.accepted]
    .filter(([connection, sentAt]) => covered(connection) < sentAt)
    .map(([connection]) => connection)
  const calls = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  const accepted = statuses[202] ?? 0
  const unexpected = calls - accepted - (statuses[503] ?? 0) - (statuses[0] ?? 0)
  const { duplicates, forged, renamed, closest } = partners
  const lost = partners.missing.length
  return {
    published,
    lost,
    duplicates,
    forged,
    renamed,
    accepted,
    rejected: calls - accepted + withoutGateway,
    statuses,
    revived,
    withoutGateway,
    unexpected,
    forgotten,
    shortestGapMs,
    shortestRequestGapMs: closest && Math.floor(closest.gapMs),
    unfinished,
    holds:
      published > 0 &&
      accepted > 0 &&
      lost + forged + renamed + forgotten.length + unfinished + unexpected + revived === 0 &&
      (shortestGapMs === null || shortestGapMs >= evidence.windowMs),
  }
}
