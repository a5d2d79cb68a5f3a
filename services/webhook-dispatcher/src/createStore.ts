import { openErasureList, type Pool, type Sql } from "@sitewire/database"
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
import { markErased } from "./intake/markErased.ts"
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

  function once<A extends unknown[], R>(statement: (sql: Sql, ...parameters: A) => Promise<R>) {
    return (...parameters: A) => statement(sql, ...parameters)
  }
  function retried<A extends unknown[], R>(
    what: string,
    statement: (sql: Sql, ...parameters: A) => Promise<R>,
  ) {
    return (...parameters: A) => retry(what, () => statement(sql, ...parameters))
  }

  return {
    storeDeliveries: retried("store deliveries", async (sql, batch: readonly NewDelivery[]) =>
      // Read again before each try, because an erasure may have been requested since.
      storeDeliveries(sql, markErased(batch, await currentErasures())),
    ),
    findUnattempted: retried("find deliveries", findUnattempted),
    loadDeliveries: retried("load deliveries", loadDeliveries),
    recordAttempts: retried("record attempts", recordAttempts),
    deferDeliveries: retried("defer deliveries", deferDeliveries),
    releaseClaims: retried("release claims", releaseClaims),
    markDead: retried("mark dead", markDead),
    findDeferredChannels: once(findDeferredChannels),
    claimDeferred: once(claimDeferred),
    claimExpired: once(claimExpired),
    sweepScheduled: once(sweepScheduled),
    sweepUnattempted: (settings: Parameters<typeof sweepUnattempted>[1]) => sweepUnattempted(pool, settings),
    findDeletedChannels: once(findDeletedChannels),
    claimWaiting: once(claimWaiting),
    endDeliveries: once(endDeliveries),
    finishDeletedChannel: once(finishDeletedChannel),
  }
}

export type Store = ReturnType<typeof createStore>
