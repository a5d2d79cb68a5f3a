import type { Timing } from "@sitewire/egress"

/** A longer time to the first byte is the source's processing time. */
export const longestTransitMs = 250

/**
 * Upper bound of the time from writing a request until the source had it, which was before the first byte of
 * its response. Windows start there, because requests must reach the source a window apart.
 */
export function requestTransitMs({ firstByteMs = longestTransitMs }: Timing): number {
  return Math.min(firstByteMs, longestTransitMs)
}
