import {
  type Evidence as Inbound,
  type InboundLedger,
  reconcile as reconcileInbound,
} from "../inbound/reconcile.ts"
import { isSuccess, type Evidence as Outbound } from "../outbound/evidence/evidence.ts"
import { describeState, findStranded } from "../outbound/reconcile/findStranded.ts"

export type Evidence = {
  outbound: Pick<Outbound, "published" | "deliveries" | "requests" | "uncommittedKeys">
  inbound: Inbound
}

export type RestoreLedger = Pick<
  InboundLedger,
  "accepted" | "forgotten" | "tooClose" | "rejected" | "waiting"
> & {
  published: number
  /** Events for which a partner responded with 2xx to a valid request. */
  delivered: number
  /**
   * Acknowledged events without a 2xx response to a valid request. Those whose delivery is dead or erased do
   * not count.
   */
  lost: string[]
  forged: string[]
  /**
   * The number of 2xx responses after an event's first one, plus the number of GETs that came without a
   * trigger since the connection's previous GET.
   */
  duplicates: number
  /** Events whose rows are missing, unfinished, or delivered without a 2xx response. */
  misrecorded: string[]
  /** Unfinished deliveries that no dispatcher will ever get. */
  stranded: string[]
  uncommitted: number
  holds: boolean
}

/**
 * Makes one ledger for both flows. An event may have two delivery ids, one from before and one from after a
 * restore.
 */
export function reconcile({ outbound, inbound }: Evidence): RestoreLedger {
  const { published, deliveries, requests, uncommittedKeys } = outbound
  const events = new Map(published.map((event) => [event.event, event]))
  const rows = new Map(deliveries.map((row) => [row.event, row]))
  const isRight = ({ event, verified, sha256, channel }: (typeof requests)[number]) =>
    verified && sha256 === events.get(event)?.sha256 && channel === events.get(event)?.channel
  const takenOf = Map.groupBy(
    requests.filter((request) => isSuccess(request) && isRight(request)),
    ({ event }) => event,
  )

  const lost: string[] = []
  const misrecorded: string[] = []
  let delivered = 0
  let duplicates = 0
  for (const { event } of published) {
    const taken = takenOf.get(event)?.length ?? 0
    const row = rows.get(event)
    const state = row ? describeState(row) : "no row"
    const isEnded = state === "dead" || state === "erased"
    if (taken > 0) delivered += 1
    else if (!isEnded) lost.push(`${event}: ${state}`)
    duplicates += Math.max(0, taken - 1)
    if (!isEnded && (state !== "delivered" || taken === 0))
      misrecorded.push(`${event}: ${state}, taken ${taken} times`)
  }
  const forged = requests
    .filter((request) => !isRight(request))
    .map(({ delivery, number, channel }) => `${delivery} attempt ${number} at channel ${channel}`)

  const syncs = reconcileInbound(inbound)
  const stranded = findStranded({ deliveries, uncommittedKeys })
  const uncommitted = uncommittedKeys.events.length + uncommittedKeys.deliveries.length
  const { accepted, forgotten, tooClose, rejected, waiting } = syncs
  const findings = [lost, forged, misrecorded, stranded]
  return {
    published: published.length,
    accepted,
    delivered,
    lost,
    forgotten,
    forged,
    tooClose,
    rejected,
    waiting,
    duplicates: duplicates + syncs.duplicates,
    misrecorded,
    stranded,
    uncommitted,
    holds: syncs.holds && findings.every((found) => found.length === 0) && uncommitted === 0,
  }
}
