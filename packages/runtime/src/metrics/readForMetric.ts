import { setTimeout as sleep } from "node:timers/promises"

/**
 * Prometheus gives up after 10 s and then gets no metric at all, so a system that hangs must be omitted
 * sooner.
 */
const withinMs = 2_000

/**
 * Reads a metric from another system. Returns undefined if that system is unavailable or hangs, so that only
 * this metric is missing.
 */
export function readForMetric<T>(reading: Promise<T>): Promise<T | undefined> {
  return Promise.race([reading, sleep(withinMs, undefined, { ref: false })]).catch(() => undefined)
}
