import { clockMarginMs, sitePaidMaxAgeMs } from "@sitewire/contracts"
import type { Sql } from "../pool.ts"
import type { SealingKeys } from "../seal.ts"
import { type Clocks, startStopwatch, systemClocks } from "../stopwatch.ts"
import { type Erasures, readErasures } from "./readErasures.ts"
import { listMaxAgeMs, listRefreshMs } from "./timeLimits.ts"

/**
 * How far back erasures are read. An erasure concerns only events that were published before it, and Kafka
 * has deleted all events that are older than this.
 */
const relevantMs = sitePaidMaxAgeMs + clockMarginMs

/**
 * Returns a function that resolves to the requested erasures, as they were at most `listMaxAgeMs` ago. Call
 * it before each try to store events, because an erasure may be requested between two tries.
 */
export function openErasureList(
  from: { sql: Sql; sealingKeys: SealingKeys },
  clocks: Clocks = systemClocks,
): () => Promise<Erasures> {
  let list: { erasures: Erasures; age: () => number } | undefined
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const age = startStopwatch(clocks)
    const since = new Date(clocks.wall() - relevantMs)
    list = { erasures: await readErasures(from, since, list?.erasures), age }
  }

  function readOnce(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  return async () => {
    while (!list || list.age() > listMaxAgeMs) await readOnce()
    // A failure is ignored here. Once the list is too old, the read above reports it.
    if (list.age() > listRefreshMs) void readOnce().catch(() => {})
    return list.erasures
  }
}
