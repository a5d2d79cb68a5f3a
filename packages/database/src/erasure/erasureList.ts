import { clockMarginMs, sitePaidMaxAgeMs } from "@sitewire/contracts"
import type { Sql } from "../pool.ts"
import type { SealingKeys } from "../seal.ts"
import { type Erasures, readErasures } from "./readErasures.ts"
import { listMaxAgeMs, listRefreshMs } from "./timeLimits.ts"

/**
 * How far back erasures are read. An erasure concerns only events that were published before it, and Kafka
 * has deleted all events that are older than this.
 */
const relevantMs = sitePaidMaxAgeMs + clockMarginMs

/**
 * The age of the list is measured with two clocks, and the larger age counts: the monotonic clock stops while
 * the machine is suspended, and the wall clock can be set back.
 */
type Clocks = { monotonicMs(): number; wallMs(): number }
const realClocks: Clocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

/**
 * Returns a function that resolves to the requested erasures, as they were at most `listMaxAgeMs` ago. Call
 * it before each try to store events, because an erasure may be requested between two tries.
 */
export function openErasureList(
  from: { sql: Sql; sealingKeys: SealingKeys },
  clocks: Clocks = realClocks,
): () => Promise<Erasures> {
  let list: { erasures: Erasures; monotonicMs: number; wallMs: number } | undefined
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const start = { monotonicMs: clocks.monotonicMs(), wallMs: clocks.wallMs() }
    const since = new Date(start.wallMs - relevantMs)
    list = { erasures: await readErasures(from, since, list?.erasures), ...start }
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  function ageMs(): number {
    if (!list) return Number.POSITIVE_INFINITY
    return Math.max(clocks.monotonicMs() - list.monotonicMs, clocks.wallMs() - list.wallMs)
  }

  return async () => {
    while (!list || ageMs() > listMaxAgeMs) await readOnce()
    // A failure is ignored here. Once the list is too old, the read above reports it.
    if (ageMs() > listRefreshMs) void readOnce().catch(() => {})
    return list.erasures
  }
}
