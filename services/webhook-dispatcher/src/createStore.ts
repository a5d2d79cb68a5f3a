import { clockMarginMs, sitePaidMaxAgeMs } from "@sitewire/contracts"
import { type Erasures, type Pool, readErasures, type SealingKeys, type Sql } from "@sitewire/database"
import type { RetryStatement } from "@sitewire/runtime"
import { claimDeferred, claimScheduled } from "./deferred/claim.ts"
import { endExpired } from "./deferred/endExpired.ts"
import { findDeferredChannels } from "./deferred/findDeferredChannels.ts"
import { makeDue } from "./deferred/makeDue.ts"
import { releaseClaims } from "./deferred/release.ts"
import { reportUnreachable } from "./deferred/reportUnreachable.ts"
import { endDeliveries } from "./deletedChannels/endDeliveries.ts"
import { findDeletedChannels } from "./deletedChannels/findDeletedChannels.ts"
import type { NewDelivery } from "./delivery.ts"
import { lookUpEvents } from "./intake/lookUpEvents.ts"
import { type FirstOutcome, type StoreSettings, storeDeliveries } from "./intake/storeDeliveries.ts"
import { createClaimEnded, settleEnded } from "./outcome/endedDeliveries.ts"
import { type AttemptRecord, recordAttempts } from "./record/recordAttempts.ts"

/**
 * How far back erasures are read. An erasure concerns only events that were published before it, and Kafka has deleted all events
 * that are older than this.
 */
const relevantMs = sitePaidMaxAgeMs + clockMarginMs

type StoreParts = StoreSettings & { pool: Pool; retry: RetryStatement; sealingKeys: SealingKeys }

/**
 * While Postgres is unavailable, statements are retried if a record or a claimed delivery would otherwise
 * stay unfinished. Statements that run at intervals are not retried, because the next interval repeats them.
 */
export function createStore({ pool, retry, sealingKeys, ...settings }: StoreParts) {
  const { sql } = pool
  let erasures: Erasures | undefined

  async function readErasuresAgain(): Promise<Erasures> {
    erasures = await readErasures({ sql, sealingKeys }, new Date(Date.now() - relevantMs))
    return erasures
  }

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
      const lookedUp = await lookUpEvents(sql, events)
      const current = erasures?.version === lookedUp.erasures ? erasures : await readErasuresAgain()
      return lookedUp.rows.map((row, at) => ({ ...row, erased: isErased(events[at], current) }))
    }),
    storeDeliveries: retried("store deliveries", async (sql, batch: readonly FirstOutcome[]) => {
      for (let checked = erasures; ; checked = undefined) {
        const locked = await storeDeliveries(sql, batch, settings, checked ?? (await readErasuresAgain()))
        if (locked) return locked
      }
    }),
    recordAttempts: retried("record attempts", (sql, batch: readonly AttemptRecord[]) =>
      recordAttempts(sql, batch, settings),
    ),
    releaseClaims: retried("release claims", releaseClaims),
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

function isErased(event: NewDelivery | undefined, erasures: Erasures): boolean {
  return event !== undefined && erasures.covers(event.body, event.appendedAt)
}

export type Store = ReturnType<typeof createStore>
