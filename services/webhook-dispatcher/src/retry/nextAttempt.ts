export type RetrySchedule = { delaysMs: readonly number[]; periodMs: number }

export type NextStep = { kind: "retry"; step: number; delayMs: number } | { kind: "dead" }

/**
 * What follows a failed attempt: the next delay (the last one repeats), or the end where the next attempt would come
 * after the retry period. `failures` counts this failure too. `retryAfterMs`, from the answer, can only move the
 * attempt to a longer delay, never to a shorter one, past the longest or past the period's end: asking for patience
 * costs no attempt.
 */
export function nextStep(
  schedule: RetrySchedule,
  failed: { failures: number; since: Date; now: Date; retryAfterMs?: number },
): NextStep {
  const last = schedule.delaysMs.length - 1
  const leftMs = failed.since.getTime() + schedule.periodMs - failed.now.getTime()
  const fits = (step: number) => delayOf(schedule, step) <= leftMs
  let step = Math.min(Math.max(failed.failures - 1, 0), last)
  if (!fits(step)) return { kind: "dead" }
  while (step < last && delayOf(schedule, step) < (failed.retryAfterMs ?? 0) && fits(step + 1)) step += 1
  return { kind: "retry", step, delayMs: delayOf(schedule, step) }
}

function delayOf(schedule: RetrySchedule, step: number): number {
  const delay = schedule.delaysMs[step]
  if (delay === undefined) throw new Error(`the retry schedule has no delay ${step}`)
  return delay
}

/** `Retry-After` of a 429 or 503 in milliseconds: seconds, or a date (RFC 9110, 10.2.3). Undefined where it says nothing. */
export function readRetryAfter(status: number, header: string | undefined, now: Date): number | undefined {
  if ((status !== 429 && status !== 503) || header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime())
}
