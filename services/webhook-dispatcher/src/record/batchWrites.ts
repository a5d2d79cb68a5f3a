import type { AttemptRecord, FirstOutcome, Release } from "@sitewire/deliveries"
import { type BatchBounds, batchCalls, type Logger, whileLocked } from "@sitewire/runtime"
import type { Store } from "../createStore.ts"

/**
 * One statement stores many deliveries or attempts, because every statement costs a commit. The wait for more is short,
 * because attempts that are not stored at a kill are repeated.
 */
const recording: BatchBounds = { lingerMs: 25, flushAt: 32, maxBatch: 500, maxRunning: 2 }

/** Each function resolves once its row is committed. Until `signal` is aborted, it waits for a row that is locked, and its batch does not. */
export function batchWrites(
  store: Pick<Store, "storeDeliveries" | "recordAttempts" | "releaseClaims">,
  waiting: { signal: AbortSignal; log: Logger },
) {
  /** `run` returns the deliveries whose rows another transaction has locked: nothing was written of them. */
  function batch<Item>(
    run: (items: Item[]) => Promise<string[]>,
    deliveryOf: (item: Item) => string,
    bounds: BatchBounds,
  ): (item: Item) => Promise<void> {
    const write = batchCalls<Item, "locked" | undefined>({
      ...bounds,
      async run(items) {
        // Of a delivery that was attempted twice, because its lease had ended, the second outcome is written by itself.
        const first = new Map(items.toReversed().map((item) => [deliveryOf(item), item]))
        const locked = new Set(await run([...first.values()]))
        return items.map((item) =>
          locked.has(deliveryOf(item)) || first.get(deliveryOf(item)) !== item ? "locked" : undefined,
        )
      },
    })
    return (item) =>
      whileLocked({ owner: { delivery: deliveryOf(item) }, work: () => write(item), ...waiting })
  }
  return {
    storeDelivery: batch<FirstOutcome>(store.storeDeliveries, ({ delivery }) => delivery.id, recording),
    recordAttempt: batch<AttemptRecord>(store.recordAttempts, ({ deliveryId }) => deliveryId, recording),
    releaseClaim: batch<Release>(store.releaseClaims, ({ id }) => id, {
      lingerMs: 2,
      maxBatch: 500,
      maxRunning: 1,
    }),
  }
}
