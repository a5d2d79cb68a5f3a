import { openErasureList, type Pool } from "@sitewire/database"
import { claimDeferred } from "./deferred/claimDeferred.ts"
import { claimExpired } from "./deferred/claimExpired.ts"
import { deferDeliveries } from "./deferred/deferDeliveries.ts"
import { findDeferredChannels } from "./deferred/findDeferredChannels.ts"
import { releaseClaims } from "./deferred/releaseClaims.ts"
import { sweepScheduled } from "./deferred/sweep/sweepScheduled.ts"
import { sweepUnattempted } from "./deferred/sweep/sweepUnattempted.ts"
import { claimWaiting } from "./deletedChannels/claimWaiting.ts"
import { endDeliveries } from "./deletedChannels/endDeliveries.ts"
import { findDeletedChannels, finishDeletedChannel } from "./deletedChannels/findDeletedChannels.ts"
import { findUnattempted } from "./intake/findUnattempted.ts"
import { type NewDelivery, storeDeliveries } from "./intake/storeDeliveries.ts"
import { markDead } from "./outcome/markDead.ts"
import { recordAttempts } from "./outcome/recordAttempts.ts"
import { loadDeliveries } from "./retry/loadDeliveries.ts"

export type RetryStatement = <T>(what: string, work: () => Promise<T>) => Promise<T>

/**
 * While Postgres is unavailable, statements are retried if a record or a claimed delivery would otherwise
 * stay unfinished. Statements that run at intervals are not retried, because the next interval repeats them.
 */
export function createStore({ pool, retry }: { pool: Pool; retry: RetryStatement }) {
  const { sql } = pool
  const currentErasures = openErasureList(sql)
  type ArgumentsAfterSql<F> = F extends (sql: typeof pool.sql, ...rest: infer R) => unknown ? R : never
  return {
    storeDeliveries: (batch: readonly NewDelivery[]) =>
      retry("store deliveries", async () => {
        // Read again before each try, because an erasure may have been requested since.
        const erasures = await currentErasures()
        return storeDeliveries(
          sql,
          batch.map((delivery) =>
            erasures.covers(delivery.body, delivery.appendedAt) ? { ...delivery, erased: true } : delivery,
          ),
        )
      }),
    findUnattempted: (...ids: ArgumentsAfterSql<typeof findUnattempted>) =>
      retry("find deliveries", () => findUnattempted(sql, ...ids)),
    loadDeliveries: (...ids: ArgumentsAfterSql<typeof loadDeliveries>) =>
      retry("load deliveries", () => loadDeliveries(sql, ...ids)),
    recordAttempts: (...batch: ArgumentsAfterSql<typeof recordAttempts>) =>
      retry("record attempts", () => recordAttempts(sql, ...batch)),
    deferDeliveries: (...batch: ArgumentsAfterSql<typeof deferDeliveries>) =>
      retry("defer deliveries", () => deferDeliveries(sql, ...batch)),
    releaseClaims: (...batch: ArgumentsAfterSql<typeof releaseClaims>) =>
      retry("release claims", () => releaseClaims(sql, ...batch)),
    markDead: (...batch: ArgumentsAfterSql<typeof markDead>) =>
      retry("mark dead", () => markDead(sql, ...batch)),
    findDeferredChannels: () => findDeferredChannels(sql),
    claimDeferred: (...requests: ArgumentsAfterSql<typeof claimDeferred>) => claimDeferred(sql, ...requests),
    claimExpired: (...breakers: ArgumentsAfterSql<typeof claimExpired>) => claimExpired(sql, ...breakers),
    sweepScheduled: (...settings: ArgumentsAfterSql<typeof sweepScheduled>) =>
      sweepScheduled(sql, ...settings),
    findDeletedChannels: (...settings: ArgumentsAfterSql<typeof findDeletedChannels>) =>
      findDeletedChannels(sql, ...settings),
    claimWaiting: (...request: ArgumentsAfterSql<typeof claimWaiting>) => claimWaiting(sql, ...request),
    endDeliveries: (...ids: ArgumentsAfterSql<typeof endDeliveries>) => endDeliveries(sql, ...ids),
    finishDeletedChannel: (...channel: ArgumentsAfterSql<typeof finishDeletedChannel>) =>
      finishDeletedChannel(sql, ...channel),
    sweepUnattempted: (settings: Parameters<typeof sweepUnattempted>[1]) => sweepUnattempted(pool, settings),
  }
}

export type Store = ReturnType<typeof createStore>
