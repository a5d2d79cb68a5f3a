import type { Timing } from "@sitewire/egress"

/**
 * A request is assumed to arrive within this time. The rest until the first byte is the source's processing
 * time.
 */
export const longestTransitMs = 250

/**
 * Upper bound of the time from writing a request until it reached the source. It reached the source before
 * the first byte of the response came back. Windows start then, because requests must reach the source a
 * window apart.
 */
export function requestTransitMs({ firstByteMs = longestTransitMs }: Timing): number {
  return Math.min(firstByteMs, longestTransitMs)
}
