import { setTimeout as sleep } from "node:timers/promises"

/** Prometheus drops the whole response after 10 s, and a system that hangs responds later. */
const withinMs = 2_000

/**
 * Reads a metric from another system. Returns undefined if that system is unavailable or hangs, so that only this metric is
 * missing in the response.
 */
export function readForMetric<T>(reading: Promise<T>): Promise<T | undefined> {
  return Promise.race([reading, sleep(withinMs, undefined, { ref: false })]).catch(() => undefined)
}
