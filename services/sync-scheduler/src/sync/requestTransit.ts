import type { Timing } from "@sitewire/egress"

/** What is beyond this is the source's own time, or a network that nobody can vouch for. */
export const longestTransitMs = 250

/**
 * From the writing of a request until the source can have seen it, at most, in milliseconds. Windows are counted from
 * there, because it is at the source that two syncs must be a window apart: it had the request before the first byte
 * of its answer.
 */
export function transitOf({ firstByteMs = longestTransitMs }: Timing): number {
  return Math.min(firstByteMs, longestTransitMs)
}
