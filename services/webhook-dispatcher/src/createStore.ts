import type { Pool } from "@sitewire/database"
import { openErasureList } from "@sitewire/erasure"
import { claimDeferred } from "./deferred/claimDeferred.ts"
import { claimExpired } from "./deferred/claimExpired.ts"
import { deferDeliveries } from "./deferred/deferDeliveries.ts"
import { findDeferredChannels } from "./deferred/findDeferredChannels.ts"
import { releaseClaims } from "./deferred/releaseClaims.ts"
import { sweepScheduled } from "./deferred/sweep/sweepScheduled.ts"
import { sweepUnattempted } from "./deferred/sweep/sweepUnattempted.ts"
import { findUnattempted } from "./intake/findUnattempted.ts"
import { type NewDelivery, storeDeliveries } from "./intake/storeDeliveries.ts"
import { markDead } from "./outcome/markDead.ts"
import { recordAttempts } from "./outcome/recordAttempts.ts"
import { loadDeliveries } from "./retry/loadDeliveries.ts"

type RetryWhileUnavailable = <T>(what: string, work: () => Promise<T>) => Promise<T>

/** What the dispatcher does in Postgres. A record's outcome waits while it is unavailable; what runs by itself tries again later. */
export function createStore({ pool, retry }: { pool: Pool; retry: RetryWhileUnavailable }) {
  const { sql } = pool
  const currentErasures = openErasureList(sql)
  /** What a statement takes beside `sql`. */
  type Rest<F> = F extends (sql: typeof pool.sql, ...rest: infer R) => unknown ? R : never
  return {
    storeDeliveries: (batch: readonly NewDelivery[]) =>
      retry("store deliveries", async () => {
        // Before each try: an erasure may have been asked for in an outage.
        const erasures = await currentErasures()
        return storeDeliveries(
          sql,
          batch.map((delivery) =>
            erasures.covers(delivery.body, delivery.appendedAt) ? { ...delivery, erased: true } : delivery,
          ),
        )
      }),
    findUnattempted: (...ids: Rest<typeof findUnattempted>) =>
      retry("find deliveries", () => findUnattempted(sql, ...ids)),
    loadDeliveries: (...ids: Rest<typeof loadDeliveries>) =>
      retry("load deliveries", () => loadDeliveries(sql, ...ids)),
    recordAttempts: (...batch: Rest<typeof recordAttempts>) =>
      retry("record attempts", () => recordAttempts(sql, ...batch)),
    deferDeliveries: (...batch: Rest<typeof deferDeliveries>) =>
      retry("defer deliveries", () => deferDeliveries(sql, ...batch)),
    releaseClaims: (...batch: Rest<typeof releaseClaims>) =>
      retry("release claims", () => releaseClaims(sql, ...batch)),
    markDead: (...batch: Rest<typeof markDead>) => retry("mark dead", () => markDead(sql, ...batch)),
    findDeferredChannels: () => findDeferredChannels(sql),
    claimDeferred: (...wanted: Rest<typeof claimDeferred>) => claimDeferred(sql, ...wanted),
    claimExpired: (...breakers: Rest<typeof claimExpired>) => claimExpired(sql, ...breakers),
    sweepScheduled: (...settings: Rest<typeof sweepScheduled>) => sweepScheduled(sql, ...settings),
    sweepUnattempted: (settings: Parameters<typeof sweepUnattempted>[1]) => sweepUnattempted(pool, settings),
  }
}

export type Store = ReturnType<typeof createStore>
