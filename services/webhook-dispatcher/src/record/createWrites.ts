import { batchWrites, type Sql, type Writing } from "@sitewire/database"
import type * as deliveries from "@sitewire/deliveries"
import type { AttemptRecord, EventStore, FirstOutcome, Release } from "@sitewire/deliveries"
import type { BatchBounds } from "@sitewire/runtime"

export type WriteParts = Writing & {
  sql: Sql
  events: Pick<EventStore, "store">
  statements: Pick<typeof deliveries, "recordAttempts" | "releaseClaims">
  settings: { publishOutcomes: boolean }
}

/**
 * One statement stores many deliveries or attempts, because every statement costs a commit. The wait for more is short,
 * because attempts that are not stored at a kill are repeated.
 */
const recording: BatchBounds = { lingerMs: 25, flushAt: 32, maxBatch: 500, maxRunning: 2 }
const releasing: BatchBounds = { lingerMs: 2, maxBatch: 500, maxRunning: 1 }

/** Each function resolves once its row is committed. */
export function createWrites({ sql, events, statements, settings, ...writing }: WriteParts) {
  /** `write` returns the deliveries whose rows are locked. */
  function inBatches<Row>(
    what: string,
    bounds: BatchBounds,
    idOf: (row: Row) => string,
    write: (rows: Row[]) => Promise<string[]>,
  ): (row: Row) => Promise<unknown> {
    async function writeRows(rows: Row[]): Promise<(null | "locked")[]> {
      const locked = new Set(await write(rows))
      return rows.map((row) => (locked.has(idOf(row)) ? "locked" : null))
    }
    return batchWrites({ ...writing, what, bounds, owner: "delivery", idOf, write: writeRows }).write
  }
  return {
    storeDelivery: inBatches<FirstOutcome>(
      "store deliveries",
      recording,
      ({ delivery }) => delivery.id,
      events.store,
    ),
    recordAttempt: inBatches<AttemptRecord>(
      "record attempts",
      recording,
      ({ deliveryId }) => deliveryId,
      (batch) => statements.recordAttempts(sql, batch, settings),
    ),
    releaseClaim: inBatches<Release>(
      "release claims",
      releasing,
      ({ id }) => id,
      (batch) => statements.releaseClaims(sql, batch),
    ),
  }
}

export type Writes = ReturnType<typeof createWrites>
