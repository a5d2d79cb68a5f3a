import type { Pool, SealingKeys, Sql } from "@sitewire/database"
import {
  type AttemptRecord,
  claimDeferred,
  claimScheduled,
  createClaimEnded,
  createEventStore,
  endDeliveries,
  endExpired,
  type FirstOutcome,
  findDeferredChannels,
  findDeletedChannels,
  makeDue,
  type NewDelivery,
  type Release,
  recordAttempts,
  releaseClaims,
  reportUnreachable,
  type StoreSettings,
  settleEnded,
} from "@sitewire/deliveries"
import type { RetryStatement } from "@sitewire/runtime"

type StoreParts = StoreSettings & { pool: Pool; retry: RetryStatement; sealingKeys: SealingKeys }

/**
 * While Postgres is unavailable, statements are retried if a record or a claimed delivery would otherwise
 * stay unfinished. Statements that run at intervals are not retried, because the next interval repeats them.
 */
export function createStore({ pool, retry, sealingKeys, ...settings }: StoreParts) {
  const { sql } = pool
  const events = createEventStore(sql, sealingKeys, settings)
  function once<A extends unknown[], R>(statement: (sql: Sql, ...parameters: A) => Promise<R>) {
    return (...parameters: A) => statement(sql, ...parameters)
  }

  return {
    lookUpEvents: (given: readonly NewDelivery[]) => retry("look up events", () => events.lookUp(given)),
    storeDeliveries: (batch: readonly FirstOutcome[]) => retry("store deliveries", () => events.store(batch)),
    recordAttempts: (batch: readonly AttemptRecord[]) =>
      retry("record attempts", () => recordAttempts(sql, batch, settings)),
    releaseClaims: (batch: readonly Release[]) => retry("release claims", () => releaseClaims(sql, batch)),
    makeDue: once(makeDue),
    findDeferredChannels: once(findDeferredChannels),
    claimScheduled: once(claimScheduled),
    claimDeferred: once(claimDeferred),
    endExpired: once(endExpired),
    reportUnreachable: once(reportUnreachable),
    findDeletedChannels: once(findDeletedChannels),
    endDeliveries: once(endDeliveries),
    claimEnded: once(createClaimEnded()),
    settleEnded: once(settleEnded),
  }
}

export type Store = ReturnType<typeof createStore>
