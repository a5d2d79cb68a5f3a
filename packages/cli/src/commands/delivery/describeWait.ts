import type { DeferralReason, Delivery } from "@sitewire/contracts"

/** Longer than an attempt takes. */
const overdueMs = 15_000

const reasons: Record<Exclude<DeferralReason, "paused">, string> = {
  busy: "its channel has no capacity",
  breaker: "its channel's circuit breaker is open",
  fault: "the dispatcher cannot send it; its log states why",
  resend: "to be sent again",
  overdue: "its attempt was overdue and no record carried it",
}

type Waiting = Pick<Delivery, "state" | "next_attempt_at" | "deferred_at" | "deferred_reason">

/**
 * What a delivery waits for; null where it waits for nothing. `pausedAt` is its channel's; while that is set, nothing of
 * the channel is overdue. `moment` writes a time.
 */
export function describeWait(
  { state, next_attempt_at, deferred_at, deferred_reason }: Waiting,
  { pausedAt, now, moment }: { pausedAt: string | null; now: Date; moment: (iso: string) => string },
): string | null {
  if (deferred_at !== null) {
    if (pausedAt !== null) return `deferred: channel paused since ${moment(pausedAt)}`
    const why =
      deferred_reason === null || deferred_reason === "paused"
        ? "its channel was paused, and resumes"
        : reasons[deferred_reason]
    return `deferred: ${why} (since ${moment(deferred_at)})`
  }
  if (next_attempt_at === null) {
    if (state !== "pending") return null
    return pausedAt === null ? "first attempt" : `channel paused since ${moment(pausedAt)}`
  }
  const lateMs = now.getTime() - Date.parse(next_attempt_at)
  if (lateMs < overdueMs) return moment(next_attempt_at)
  return pausedAt === null
    ? `overdue since ${moment(next_attempt_at)}`
    : `channel paused since ${moment(pausedAt)}`
}
