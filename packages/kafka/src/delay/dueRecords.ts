/** Timers are short, because the clock may be corrected meanwhile and setTimeout overflows at 2^31 ms. */
const longestTimerMs = 10_000

export function countDue(
  records: readonly { appendedAt: number }[],
  from: number,
  delayMs: number,
  now: number,
): number {
  if (delayMs === 0) return records.length - from
  let index = from
  for (let record = records[index]; record && record.appendedAt + delayMs <= now; record = records[index])
    index++
  return index - from
}

/**
 * How many milliseconds to sleep, at most `longestTimerMs`. Call `countDue` again afterwards: timers can fire
 * early, and the record may not be due yet.
 */
export function msUntilDue(record: { appendedAt: number }, delayMs: number, now: number): number {
  return Math.min(longestTimerMs, Math.max(1, record.appendedAt + delayMs - now))
}
