import { clockMarginMs, sitePaidMaxAgeMs } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import type { NewDelivery } from "./delivery.ts"
import { type EventRow, lookUpEvents } from "./lookUpEvents.ts"
import { type Erasures, readErasures } from "./readErasures.ts"
import { type FirstOutcome, type StoreSettings, storeDeliveries } from "./store.ts"

/** `erased`: the event names an erased person or site. */
export type LookedUpEvent = EventRow & { erased: boolean }

/**
 * How far back erasures are read. An erasure concerns only events that were published before it, and Kafka has deleted all events
 * that are older than this.
 */
const relevantMs = sitePaidMaxAgeMs + clockMarginMs

/** Looks events up and stores their deliveries, by a list of erasures that is read again when it has changed. */
export function createEventStore(sql: Sql, sealingKeys: SealingKeys, settings: StoreSettings) {
  let erasures: Erasures | undefined

  async function readErasuresAgain(): Promise<Erasures> {
    erasures = await readErasures({ sql, sealingKeys }, new Date(Date.now() - relevantMs))
    return erasures
  }

  return {
    async lookUp(events: readonly NewDelivery[]): Promise<LookedUpEvent[]> {
      const lookedUp = await lookUpEvents(sql, events)
      const current = erasures?.version === lookedUp.erasures ? erasures : await readErasuresAgain()
      return lookedUp.rows.map((row, at) => ({ ...row, erased: isErased(events[at], current) }))
    },
    async store(batch: readonly FirstOutcome[]): Promise<string[]> {
      for (let checked = erasures; ; checked = undefined) {
        const locked = await storeDeliveries(sql, batch, settings, checked ?? (await readErasuresAgain()))
        if (locked) return locked
      }
    },
  }
}

function isErased(event: NewDelivery | undefined, erasures: Erasures): boolean {
  return event !== undefined && erasures.covers(event.body, event.appendedAt)
}
