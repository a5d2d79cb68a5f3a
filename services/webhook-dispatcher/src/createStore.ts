import {
  type Erasures,
  openErasureList,
  type Pool,
  readClock,
  type SealingKeys,
  type Sql,
} from "@sitewire/database"
import type { RetryStatement } from "@sitewire/runtime"
import { claimDeferred } from "./deferred/claimDeferred.ts"
import { deferDeliveries } from "./deferred/deferDeliveries.ts"
import { endExpired } from "./deferred/endExpired.ts"
import { findDeferredChannels } from "./deferred/findDeferredChannels.ts"
import { releaseClaims } from "./deferred/releaseClaims.ts"
import { reportUnreachable } from "./deferred/reportUnreachable.ts"
import { sweepScheduled } from "./deferred/sweep/sweepScheduled.ts"
import { endDeliveries } from "./deletedChannels/endDeliveries.ts"
import { findDeletedChannels } from "./deletedChannels/findDeletedChannels.ts"
import type { NewDelivery } from "./delivery.ts"
import { lookUpEvents } from "./intake/lookUpEvents.ts"
import { type FirstOutcome, type StoreSettings, storeDeliveries } from "./intake/storeDeliveries.ts"
import { createClaimEnded, settleEnded } from "./outcome/endedDeliveries.ts"
import { type AttemptRecord, recordAttempts } from "./outcome/recordAttempts.ts"
import { loadDeliveries } from "./retry/loadDeliveries.ts"

type StoreParts = StoreSettings & { pool: Pool; retry: RetryStatement; sealingKeys: SealingKeys }

/**
 * While Postgres is unavailable, statements are retried if a record or a claimed delivery would otherwise
 * stay unfinished. Statements that run at intervals are not retried, because the next interval repeats them.
 */
export function createStore({ pool, retry, sealingKeys, ...settings }: StoreParts) {
  const { sql } = pool
  const currentErasures = openErasureList({ sql, sealingKeys })

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
    lookUpEvents: retried("look up events", async (sql, events: readonly NewDelivery[]) => {
      const erasures = await currentErasures()
      const rows = await lookUpEvents(sql, events)
      return rows.map((row, at) => ({ ...row, erased: isErased(events[at], erasures) }))
    }),
    storeDeliveries: retried("store deliveries", async (sql, batch: readonly FirstOutcome[]) => {
      // Read again before each try, because an erasure may have been requested during the attempt.
      const erasures = await currentErasures()
      const marked = batch.map((outcome) => ({ ...outcome, erased: isErased(outcome.delivery, erasures) }))
      return storeDeliveries(sql, marked, settings)
    }),
    loadDeliveries: retried("load deliveries", loadDeliveries),
    recordAttempts: retried("record attempts", (sql, batch: readonly AttemptRecord[]) =>
      recordAttempts(sql, batch, settings),
    ),
    deferDeliveries: retried("defer deliveries", deferDeliveries),
    releaseClaims: retried("release claims", releaseClaims),
    findDeferredChannels: once(findDeferredChannels),
    claimDeferred: once(claimDeferred),
    endExpired: once(endExpired),
    reportUnreachable: once(reportUnreachable),
    sweepScheduled: once(sweepScheduled),
    readClock: once(readClock),
    findDeletedChannels: once(findDeletedChannels),
    endDeliveries: once(endDeliveries),
    claimEnded: once(createClaimEnded()),
    settleEnded: once(settleEnded),
  }
}

/** The event names an erased person or site: its delivery is stored without its body, and not sent. */
function isErased(event: NewDelivery | undefined, erasures: Erasures): boolean {
  return event !== undefined && erasures.covers(event.body, event.appendedAt)
}

export type Store = ReturnType<typeof createStore>
