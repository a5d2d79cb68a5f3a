import {
  type Evidence as Inbound,
  type InboundLedger,
  reconcile as reconcileInbound,
} from "../inbound/reconcile.ts"
import { isTaken, type Evidence as Outbound } from "../outbound/evidence/evidence.ts"
import { describeState, findUncarried } from "../outbound/reconcile/findStranded.ts"

export type Evidence = {
  outbound: Pick<Outbound, "published" | "deliveries" | "requests" | "carried">
  inbound: Inbound
}

export type RestoreLedger = Pick<
  InboundLedger,
  "accepted" | "forgotten" | "tooClose" | "refused" | "waiting"
> & {
  published: number
  /** Events for which a partner answered 2xx to a request with a valid signature. */
  delivered: number
  /** Events, acknowledged, that no partner took, and that are not dead or erased. */
  lost: string[]
  /** Requests with another body than published, a wrong signature, or at another's channel. */
  forged: string[]
  /** 2xx answers beyond the first for an event, and GETs that no trigger asked for. */
  duplicates: number
  /** Events whose rows are missing or unfinished, or delivered with no partner having taken them. */
  misrecorded: string[]
  uncarried: string[]
  uncommitted: number
  holds: boolean
}

/**
 * One ledger for both flows. An event may have two delivery ids, one from before a restore and one that was made again
 * afterwards. Everything else is promised as without a restore.
 */
export function reconcile({ outbound, inbound }: Evidence): RestoreLedger {
  const { published, deliveries, requests, carried } = outbound
  const events = new Map(published.map((event) => [event.event, event]))
  const rows = new Map(deliveries.map((row) => [row.event, row]))
  const isRight = ({ event, verified, sha256, channel }: (typeof requests)[number]) =>
    verified && sha256 === events.get(event)?.sha256 && channel === events.get(event)?.channel
  const takenOf = Map.groupBy(
    requests.filter((request) => isTaken(request) && isRight(request)),
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
  const uncarried = findUncarried({ deliveries, carried })
  const uncommitted = carried.events.length + carried.deliveries.length
  const { accepted, forgotten, tooClose, refused, waiting } = syncs
  const findings = [lost, forged, misrecorded, uncarried]
  return {
    published: published.length,
    accepted,
    delivered,
    lost,
    forgotten,
    forged,
    tooClose,
    refused,
    waiting,
    duplicates: duplicates + syncs.duplicates,
    misrecorded,
    uncarried,
    uncommitted,
    holds: syncs.holds && findings.every((found) => found.length === 0) && uncommitted === 0,
  }
}
