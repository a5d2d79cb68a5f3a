import { setTimeout as sleep } from "node:timers/promises"

/** Prometheus gives up the whole answer after 10 s, and a question to a system that hangs takes longer. */
const withinMs = 2_000

/**
 * For a figure that another system must be asked for. Undefined where it is away or hangs: the figure is left out then, and
 * takes no other with it.
 */
export function readForMetric<T>(asked: Promise<T>): Promise<T | undefined> {
  return Promise.race([asked, sleep(withinMs, undefined, { ref: false })]).catch(() => undefined)
}
