import { setTimeout as sleep } from "node:timers/promises"
import { shareRunning } from "../batching/shareRunning.ts"

/** The longest wait for another system. Prometheus drops the whole response after 10 s, so this is less. */
const withinMs = 2_000

/**
 * The function that it returns resolves to undefined if the other system is unavailable or hangs, so that only this metric is
 * missing. A reading that it has given up still runs, so the next call waits for the same one.
 */
export function readForMetric<T>(read: () => Promise<T>): () => Promise<T | undefined> {
  const reading = shareRunning(read)
  return () => Promise.race([reading(), sleep(withinMs, undefined, { ref: false })]).catch(() => undefined)
}
