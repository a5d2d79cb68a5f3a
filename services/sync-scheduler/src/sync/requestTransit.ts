import type { Timing } from "@sitewire/egress"

/** A request is assumed to arrive within this time. What the first byte takes longer is the source's work. */
export const longestTransitMs = 250

/**
 * Upper bound of the time from writing a request until it reached the source, which was before the response's
 * first byte. The window starts when the request arrives, because requests must arrive a window apart.
 */
export function requestTransitMs({ firstByteMs = longestTransitMs }: Timing): number {
  return Math.min(firstByteMs, longestTransitMs)
}
