import type { Fault, FaultKind } from "../driveFaults.ts"

/** What the broker acknowledged. `sha256` is of the body that is due for it. */
export type PublishedEvent = { event: string; channel: string; sha256: string }

type DeliveryRow = { delivery: string; event: string; state: string; attempts: number; sha256: string }

/** Times are milliseconds since the epoch. */
type AttemptRow = { delivery: string; number: number; at: number; delivered: boolean }

export type SeenRequest = {
  at: number
  channel: string
  delivery: string
  number: number
  sha256: string
  verified: boolean
  event: string
  answer: number | "none" | "reset"
}

export type Evidence = {
  published: PublishedEvent[]
  deliveries: DeliveryRow[]
  attempts: AttemptRow[]
  requests: SeenRequest[]
  /** Records that the groups have not committed. */
  uncommitted: number
  faults: Fault[]
  /** Members of the group, and records that one of them may have in hand. */
  members: number
  inHand: number
}

export type OutboundLedger = {
  published: number
  /** Events, acknowledged, for which no partner ever answered 2xx. */
  lost: string[]
  /** 2xx answers beyond the first for an event. */
  duplicates: number
  bound: number
  /** Requests with another body than published, a wrong signature, or for another's delivery. */
  forged: string[]
  /** Deliveries with more than one live chain of attempts, and why. */
  forked: string[]
  /** Attempts with a higher number than one that had been delivered. */
  afterDelivery: number
  /** Deliveries whose rows say something else than the partners saw. */
  misrecorded: string[]
  uncommitted: number
  holds: boolean
}

/**
 * How often a fault makes the group hand its partitions over: when a member is lost and when it is back, or for each
 * member that comes back to a broker; of several brokers also when it goes to another one. Postgres has no part in that.
 */
export function handOvers(kind: FaultKind, members: number): number {
  if (kind === "Postgres killed" || kind === "Postgres restarted") return 0
  if (kind === "one broker stopped" || kind === "one broker paused") return 2 * members
  return kind === "broker stopped" ? members : 2
}

/** A session time-out (10 s) and a rebalance time-out (20 s): for so long a fault may go on handing over. */
const aftermathMs = 30_000

/**
 * Holds against one another what was published, what the database says, what was committed and what partners saw.
 *
 * `bound`: an attempt is made again only if its record was in hand, outcome not durable, when its partition was handed
 * over. So each hand-over repeats at most what all members have in hand (one more member during a rebalance, which is
 * an extra one that comes and goes): the sum over the faults of hand-overs x members x in hand.
 *
 * `forked`: a number of a delivery was made more often than once and once more for each hand-over that may have hit it
 * (from the first making to the last); or number n + 1 was made although no making of n failed; or there are more
 * attempts after deliveries than the bound. A reset counts as no making of its own: the sender may repeat a request on
 * a new connection when a kept one is closed under it, within one attempt.
 */
export function reconcile(evidence: Evidence): OutboundLedger {
  const { published, deliveries, attempts, requests, uncommitted, faults, members, inHand } = evidence
  const events = new Map(published.map((event) => [event.event, event]))
  const rows = new Map(deliveries.map((row) => [row.event, row]))
  const byEvent = Map.groupBy(requests, ({ event }) => event)
  const isTaken = ({ answer }: SeenRequest) => typeof answer === "number" && answer >= 200 && answer < 300

  const lost: string[] = []
  const misrecorded: string[] = []
  let duplicates = 0
  for (const { event } of published) {
    const taken = (byEvent.get(event) ?? []).filter(isTaken).length
    if (taken === 0) lost.push(event)
    duplicates += Math.max(0, taken - 1)
    const row = rows.get(event)
    const state = row?.state ?? "no row"
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

  const bound = faults.reduce(
    (sum, { kind }) => sum + handOvers(kind, members) * (members + (kind === "rebalance" ? 1 : 0)) * inHand,
    0,
  )
  const { forked, afterDelivery } = findForks()
  if (afterDelivery > bound) forked.push(`${afterDelivery} attempts after deliveries, bound ${bound}`)

  const holds =
    lost.length + forged.length + forked.length + misrecorded.length + uncommitted === 0 &&
    duplicates <= bound
  return {
    published: published.length,
    lost,
    duplicates,
    bound,
    forged,
    forked,
    afterDelivery,
    misrecorded,
    uncommitted,
    holds,
  }

  function findForks() {
    const forked: string[] = []
    let afterDelivery = 0
    const attemptsOf = Map.groupBy(attempts, ({ delivery }) => delivery)
    const requestsOf = Map.groupBy(requests, ({ delivery }) => delivery)
    for (const delivery of new Set([...attemptsOf.keys(), ...requestsOf.keys()])) {
      const made = Map.groupBy(attemptsOf.get(delivery) ?? [], ({ number }) => number)
      const seen = Map.groupBy(requestsOf.get(delivery) ?? [], ({ number }) => number)
      let deliveredBy = Number.POSITIVE_INFINITY
      for (const number of [...new Set([...made.keys(), ...seen.keys()])].sort((a, b) => a - b)) {
        const [madeNow, seenNow] = [made.get(number) ?? [], seen.get(number) ?? []]
        const times = Math.max(madeNow.length, seenNow.filter(({ answer }) => answer !== "reset").length)
        const starts = [...madeNow, ...seenNow].map(({ at }) => at)
        const hits = hitsBetween(Math.min(...starts), Math.max(...starts))
        if (times > 1 + hits)
          forked.push(`${delivery}: attempt ${number} made ${times} times, ${hits} hand-overs`)
        if (number > deliveredBy) afterDelivery += times
        const before = [...(made.get(number - 1) ?? []), ...(seen.get(number - 1) ?? [])]
        const failed = before.some((one) => ("delivered" in one ? !one.delivered : !isTaken(one)))
        if (before.length > 0 && !failed)
          forked.push(`${delivery}: attempt ${number} after ${number - 1} was delivered`)
        if (madeNow.some(({ delivered }) => delivered)) deliveredBy = Math.min(deliveredBy, number)
      }
    }
    return { forked, afterDelivery }
  }

  function hitsBetween(from: number, to: number): number {
    return faults
      .filter(({ beganAt, endedAt }) => beganAt <= to && endedAt + aftermathMs >= from)
      .reduce((sum, { kind }) => sum + handOvers(kind, members), 0)
  }
}
