import type { AttemptError } from "@sitewire/contracts"

/** Each delay is a step with its own retry topic. */
export type RetrySchedule = { delaysMs: readonly number[]; periodMs: number }

export type Decision =
  | { state: "delivered"; retry: null }
  /** `failures`: those of the retry period, with this one. */
  | { state: "pending"; retry: { step: number; delayMs: number; failures: number } }
  | { state: "dead"; retry: null }

/** `failures` before the attempt, and how much of the retry period is over after it. */
type Waited = { failures: number; elapsedMs: number }

type Outcome = { error: AttemptError | null; status: number | null; retryAfter?: string }

/**
 * What follows an attempt. After a failure, the schedule's next delay (the last one repeats), or death if that delay would end after
 * the retry period. The response's `Retry-After` can choose a longer delay, but none that ends after the period.
 */
export function decide(schedule: RetrySchedule, waited: Waited, outcome: Outcome, now: Date): Decision {
  if (outcome.error === null) return { state: "delivered", retry: null }
  const failures = waited.failures + 1
  const remainingMs = schedule.periodMs - waited.elapsedMs
  const retryAfterMs = readRetryAfter(outcome.status ?? 0, outcome.retryAfter, now) ?? 0
  const last = schedule.delaysMs.length - 1
  const fits = (step: number) => delayOf(schedule, step) <= remainingMs
  let step = Math.min(failures - 1, last)
  if (!fits(step)) return { state: "dead", retry: null }
  while (step < last && delayOf(schedule, step) < retryAfterMs && fits(step + 1)) step += 1
  return { state: "pending", retry: { step, delayMs: delayOf(schedule, step), failures } }
}

function delayOf(schedule: RetrySchedule, step: number): number {
  const delay = schedule.delaysMs[step]
  if (delay === undefined) throw new Error(`the retry schedule has no step ${step}`)
  return delay
}

/** The `Retry-After` of a 429 or 503 (RFC 9110, 10.2.3) in milliseconds. Undefined if it is unusable. */
function readRetryAfter(status: number, header: string | undefined, now: Date): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime())
}
