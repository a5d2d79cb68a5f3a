import { type Delivery, deferralReasons } from "@sitewire/contracts"

/**
 * An attempt takes less time than this. If a delivery was due longer ago, its attempt is therefore not in
 * progress but overdue.
 */
const overdueMs = 15_000

type Waiting = Pick<Delivery, "state" | "next_attempt_at" | "deferred_at" | "waiting_for">

type WaitContext = {
  pausedAt: string | null
  now: Date
  formatTime: (iso: string) => string
}

/** What the delivery's next attempt waits for. Null: no attempt is planned. */
export function describeWait(delivery: Waiting, { pausedAt, now, formatTime }: WaitContext): string | null {
  const { state, next_attempt_at, deferred_at, waiting_for } = delivery
  const paused = pausedAt === null ? null : `channel paused since ${formatTime(pausedAt)}`
  if (deferred_at !== null) {
    if (paused !== null) return `deferred: ${paused}`
    const why =
      waiting_for === null || waiting_for === "retry" || waiting_for === "paused"
        ? "its channel was paused and is resuming"
        : deferralReasons[waiting_for]
    return `deferred: ${why} (since ${formatTime(deferred_at)})`
  }
  if (next_attempt_at === null) return state === "pending" ? (paused ?? "first attempt") : null
  const lateMs = now.getTime() - Date.parse(next_attempt_at)
  if (lateMs < overdueMs) return formatTime(next_attempt_at)
  // A paused channel makes no attempts, so none of its deliveries is overdue.
  return paused ?? `overdue since ${formatTime(next_attempt_at)}`
}
