import { clockMarginMs, sitePaidGoneAfterMs } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { type Erasures, readErasures } from "./readErasures.ts"
import { listMaxAgeMs, listRefreshMs } from "./timeLimits.ts"

/** An older erasure names nobody whose event can still come: site.paid does not have it any more. */
const relevantMs = sitePaidGoneAfterMs + clockMarginMs

/** Both, because the monotonic clock stops while a machine is suspended. */
type Clocks = { monotonicMs(): number; wallMs(): number }
const realClocks: Clocks = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

/**
 * The erasures that matter to the intake of site.paid. The returned function resolves to a list that began to be read
 * `listMaxAgeMs` ago at most, so it seldom waits: a list older than `listRefreshMs` is read again in the background.
 * Call it before each attempt to store events. Rejects with the driver's error where no such list can be read.
 */
export function openErasureList(sql: Sql, clocks: Clocks = realClocks): () => Promise<Erasures> {
  let list: { erasures: Erasures; monotonicMs: number; wallMs: number } | undefined
  let reading: Promise<void> | undefined

  async function read(): Promise<void> {
    const begun = { monotonicMs: clocks.monotonicMs(), wallMs: clocks.wallMs() }
    const since = new Date(begun.wallMs - relevantMs)
    list = { erasures: await readErasures(sql, since, list?.erasures), ...begun }
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
    // A failure is reported by the call that finds the list too old.
    if (ageMs() > listRefreshMs) void readOnce().catch(() => {})
    return list.erasures
  }
}
