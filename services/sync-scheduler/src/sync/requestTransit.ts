import type { Timing } from "@sitewire/egress"

/** Any longer time to the first byte is the source's processing time. */
export const longestTransitMs = 250

/**
 * Upper bound of the time from writing a request until it reached the source: it did so before the response's
 * first byte. Windows start then, because requests must reach the source a window apart.
 */
export function requestTransitMs({ firstByteMs = longestTransitMs }: Timing): number {
  return Math.min(firstByteMs, longestTransitMs)
}
