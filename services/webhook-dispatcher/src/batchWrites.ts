import { type BatchBounds, batchCalls } from "@sitewire/runtime"
import type { Store } from "./createStore.ts"
import type { Deferral } from "./deferred/deferDeliveries.ts"
import type { ClaimedDelivery } from "./deferred/releaseClaims.ts"
import type { FirstOutcome } from "./intake/storeDeliveries.ts"
import type { AttemptRecord } from "./outcome/recordAttempts.ts"

/**
 * One statement stores many deliveries or attempts, because every statement costs a commit. The wait for more is short,
 * because attempts that are not stored at a kill are repeated.
 */
const recording: BatchBounds = { lingerMs: 25, flushAt: 32, maxBatch: 500, maxRunning: 2 }

/** Each function resolves once its row is committed. */
export function batchWrites(
  store: Pick<Store, "storeDeliveries" | "recordAttempts" | "deferDeliveries" | "releaseClaims">,
) {
  const batch = <Item>(run: (items: Item[]) => Promise<void>, bounds: BatchBounds) =>
    batchCalls<Item, void>({ ...bounds, run: (items) => run(items).then(() => []) })
  return {
    storeDelivery: batch<FirstOutcome>(store.storeDeliveries, recording),
    recordAttempt: batch<AttemptRecord>(store.recordAttempts, recording),
    deferDelivery: batch<Deferral>(store.deferDeliveries, { lingerMs: 2, maxBatch: 500, maxRunning: 2 }),
    releaseClaim: batch<ClaimedDelivery>(store.releaseClaims, { lingerMs: 2, maxBatch: 500, maxRunning: 1 }),
  }
}
