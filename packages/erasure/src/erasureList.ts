import { clockMarginMs, sitePaidMaxAgeMs } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { type Erasures, readErasures } from "./readErasures.ts"
import { listMaxAgeMs, listRefreshMs } from "./timeLimits.ts"

/** Events that an older erasure concerns have left site.paid. */
const relevantMs = sitePaidMaxAgeMs + clockMarginMs

/** The monotonic clock stops while the machine is suspended. */
type Clocks = { monotonicMs(): number; wallMs(): number }
const realClocks: Clocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

/**
 * The returned function resolves to a list at most `listMaxAgeMs` old. Call it before each try to store
 * events.
 */
export function openErasureList(sql: Sql, clocks: Clocks = realClocks): () => Promise<Erasures> {
  let list: { erasures: Erasures; monotonicMs: number; wallMs: number } | undefined
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const start = { monotonicMs: clocks.monotonicMs(), wallMs: clocks.wallMs() }
    const since = new Date(start.wallMs - relevantMs)
    list = { erasures: await readErasures(sql, since, list?.erasures), ...start }
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
    // A failed refresh is reported once the list is too old.
    if (ageMs() > listRefreshMs) void readOnce().catch(() => {})
    return list.erasures
  }
}
