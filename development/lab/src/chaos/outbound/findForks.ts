import type { Fault, FaultKind } from "../faults/driveFaults.ts"
import { type AttemptRow, type Evidence, isSuccess, type SeenRequest } from "./evidence.ts"

/**
 * How long after its end a fault may cause repetitions: until the lease of a claim ends (43 s), which is longer than a session timeout
 * (10 s) and a rebalance timeout (20 s).
 */
const aftermathMs = 60_000

type EvidenceOfAttempts = Omit<Evidence, "accepted" | "outcomes" | "jobs" | "uncommittedKeys" | "outstanding">

/**
 * Finds deliveries with more attempts than causes. The event causes the first attempt, and each failed
 * attempt causes the next one. Each resend causes one more. A delivery is forked if it has more of these attempts
 * (`withoutCause`) than resends:
 * - repetitions of an attempt number, beyond one for each reassignment of partitions that may have affected
 *   it, and one of the first attempt if the event was published twice;
 * - an attempt after one that never failed, unless a fault between the two may have ended the claim of a
 *   dispatcher on the delivery.
 * Requests that were reset do not count, because the dispatcher may repeat a request on a new connection
 * within one attempt.
 *
 * `afterDelivery` counts the attempts after a successful one, without those that resends explain.
 */
export function findForks(evidence: EvidenceOfAttempts): { forked: string[]; afterDelivery: number } {
  const { published, deliveries, attempts, requests, deferrals, faults, members } = evidence
  const forked: string[] = []
  let afterDelivery = 0
  const twice = new Set(published.filter((event) => event.twice).map(({ event }) => event))
  const ofTwice = new Set(deliveries.filter(({ event }) => twice.has(event)).map(({ delivery }) => delivery))
  const attemptsOf = Map.groupBy(attempts, ({ delivery }) => delivery)
  const requestsOf = Map.groupBy(requests, ({ delivery }) => delivery)
  const causesOf = Map.groupBy(
    deferrals.filter(({ reason }) => reason === "resend"),
    ({ delivery }) => delivery,
  )
  for (const delivery of new Set([...attemptsOf.keys(), ...requestsOf.keys()])) {
    const causes = causesOf.get(delivery)?.length ?? 0
    const { withoutCause, after } = examine(
      attemptsOf.get(delivery) ?? [],
      requestsOf.get(delivery) ?? [],
      ofTwice.has(delivery),
    )
    const count = withoutCause.reduce((sum, { times }) => sum + times, 0)
    const why = withoutCause.map(({ why }) => why).join("; ")
    if (count > causes) forked.push(`${delivery}: ${why}; resends: ${causes}`)
    afterDelivery += Math.max(0, after - causes)
  }
  return { forked, afterDelivery }

  function examine(rows: AttemptRow[], sent: SeenRequest[], isTwice: boolean) {
    const made = Map.groupBy(rows, ({ number }) => number)
    const seen = Map.groupBy(sent, ({ number }) => number)
    const withoutCause: { times: number; why: string }[] = []
    let after = 0
    let deliveredBy = Number.POSITIVE_INFINITY
    let before: { number: number; from: number; failed: boolean } | undefined
    for (const number of [...new Set([...made.keys(), ...seen.keys()])].sort((a, b) => a - b)) {
      const [madeNow, seenNow] = [made.get(number) ?? [], seen.get(number) ?? []]
      const times = Math.max(madeNow.length, seenNow.filter(({ status }) => status !== "reset").length)
      // The partner's clock counts. That of a dispatcher may have been set by a fault.
      const starts = (seenNow.length > 0 ? seenNow : madeNow).map(({ at }) => at)
      const from = Math.min(...starts)
      const reassigned = hitsBetween(faults, members, { from, to: Math.max(...starts), aftermathMs })
      const hits = reassigned + (isTwice && number === 1 ? 1 : 0)
      if (times > 1 + hits)
        withoutCause.push({
          times: times - 1 - hits,
          why: `attempt ${number} made ${times} times, ${reassigned} reassignments`,
        })
      if (
        before &&
        !before.failed &&
        !hitsBetween(faults, members, { from: before.from, to: from, aftermathMs: 0 })
      )
        withoutCause.push({ times: 1, why: `attempt ${number} after ${before.number} was delivered` })
      if (number > deliveredBy) after += times
      if (madeNow.some(({ delivered }) => delivered)) deliveredBy = Math.min(deliveredBy, number)
      const failed = madeNow.some(({ delivered }) => !delivered) || seenNow.some((one) => !isSuccess(one))
      before = { number, from, failed }
    }
    return { withoutCause, after }
  }
}

/**
 * How many reassignments one fault of this kind causes at most. In a reassignment, the consumer group moves
 * partitions to other members (dispatchers), or a dispatcher loses its claims on deliveries. It happens when
 * a member is lost, when it returns, and when a member reconnects to a broker. 0 for faults that affect only
 * Postgres or only the console.
 */
export function reassignments(kind: FaultKind, members: number): number {
  const ofMember = timesOfMember[kind]
  return ofMember === undefined ? 2 : ofMember * members
}
/** Where the number depends on the members. */
const timesOfMember: Partial<Record<FaultKind, number>> = {
  "Postgres killed": 0,
  "Postgres restarted": 0,
  "Postgres responds after 3 s": 0,
  "one partner's rows locked": 0,
  "erasure cancelled": 0,
  "console killed": 0,
  "days made and dropped": 0,
  "broker stopped": 1,
  "one broker stopped": 2,
  "one broker paused": 2,
  "retry topics recreated": 2,
  "RETRY_DELAYS changed": 2,
  "kill -9 while Postgres is unavailable": 2,
  "kill -9 between a POST and its row": 2,
  "kill -9 between a row and its commit": 2,
  "kill -9 before a wait is written": 2,
  "kill -9 while a broker is unavailable": 4,
}

/**
 * How many reassignments the faults may have caused, at most, between `from` and `to`. A fault may cause them
 * until `aftermathMs` after its end.
 */
function hitsBetween(
  faults: readonly Fault[],
  members: number,
  { from, to, aftermathMs }: { from: number; to: number; aftermathMs: number },
): number {
  return faults
    .filter(({ beganAt, endedAt }) => beganAt <= to && endedAt + aftermathMs >= from)
    .reduce((sum, { kind }) => sum + reassignments(kind, members), 0)
}
