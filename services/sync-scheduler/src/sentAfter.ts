import type { Timing } from "@sitewire/egress"

/** What is beyond this is the source's own time, or a network that nobody can vouch for. */
const longestTransitMs = 250

/** How far the parts of a call may be from adding up: what this process did between them, at most. */
const longestBetweenMs = 1_000

/**
 * From the call until the source can have seen the request, at most, in milliseconds. Windows are counted from here,
 * because it is at the source that two syncs must be a window apart.
 *
 * The first byte of the answer tells both when the request was written, counted back from the answer's beginning, and
 * how long it can have been on its way. `answerMs` is when that beginning was noticed, from the call; without it the
 * whole call counts, which for a call that timed out is far too much: then what had to happen before the writing,
 * with some time between. (Those parts alone fell 6 ms short in a test on a busy machine.)
 */
export function sentAfter(timing: Timing, answerMs = timing.totalMs): number {
  const { lookupMs = 0, waitedMs = 0, connectMs = 0, tlsMs = 0, firstByteMs } = timing
  const parts = lookupMs + waitedMs + connectMs + tlsMs
  const writtenMs = Math.min(answerMs - (firstByteMs ?? 0), parts + longestBetweenMs)
  return writtenMs + Math.min(firstByteMs ?? longestTransitMs, longestTransitMs)
}
