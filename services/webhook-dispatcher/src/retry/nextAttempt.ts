/** Each delay is a step with its own retry topic. */
export type RetrySchedule = { delaysMs: readonly number[]; periodMs: number }

export type NextStep = { kind: "retry"; step: number; delayMs: number } | { kind: "dead" }

/**
 * Chooses what follows a failed attempt: the schedule's next delay (the last one repeats), or dead if that
 * delay would end after the retry period. `failures` includes this failure. `retryAfterMs`, from the
 * response, can choose a longer delay, but none that ends after the period.
 */
export function nextStep(
  schedule: RetrySchedule,
  failed: { failures: number; since: Date; now: Date; retryAfterMs?: number },
): NextStep {
  const last = schedule.delaysMs.length - 1
  const remainingMs = failed.since.getTime() + schedule.periodMs - failed.now.getTime()
  const fits = (step: number) => delayOf(schedule, step) <= remainingMs
  let step = Math.min(Math.max(failed.failures - 1, 0), last)
  if (!fits(step)) return { kind: "dead" }
  while (step < last && delayOf(schedule, step) < (failed.retryAfterMs ?? 0) && fits(step + 1)) step += 1
  return { kind: "retry", step, delayMs: delayOf(schedule, step) }
}

function delayOf(schedule: RetrySchedule, step: number): number {
  const delay = schedule.delaysMs[step]
  if (delay === undefined) throw new Error(`the retry schedule has no step ${step}`)
  return delay
}
