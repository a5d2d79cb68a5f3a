/** Re-check at least this often: setTimeout overflows at 2^31 ms. */
const longestTimerMs = 60_000

/** How many records from `from` on may be handed over at `now`: those before the first that is not due yet. */
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
 * For how long to sleep until the record is due. A timer may fire a little early and is cut short when it is
 * long, so whoever wakes asks `countDue` again.
 */
export function sleepUntilDue(record: { appendedAt: number }, delayMs: number, now: number): number {
  return Math.min(longestTimerMs, Math.max(1, record.appendedAt + delayMs - now))
}

/**
 * This machine's time as it is now, and from here on by the monotonic clock. A clock that is set while records wait then
 * makes none of them early; an hour's jump ahead would hand over all that waits in an hourly topic at once.
 */
export function startClock(): () => number {
  const startedAt = Date.now() - performance.now()
  return () => startedAt + performance.now()
}
