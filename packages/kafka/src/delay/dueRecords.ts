/** Re-check at least this often: the clock may be corrected meanwhile, and setTimeout overflows at 2^31 ms. */
const longestTimerMs = 10_000

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
