import { setTimeout as sleep } from "node:timers/promises"

/** The longest wait for another system. Prometheus drops the whole response after 10 s, so this is less. */
const withinMs = 2_000

/** Returns undefined if the other system is unavailable or hangs, so that only this metric is missing. */
export function readForMetric<T>(reading: Promise<T>): Promise<T | undefined> {
  return Promise.race([reading, sleep(withinMs, undefined, { ref: false })]).catch(() => undefined)
}
