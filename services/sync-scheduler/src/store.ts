import type { CompactedTrigger, Pool } from "@sitewire/database"
import { recordTriggers } from "@sitewire/database"
import type { ClaimInput } from "./schedule/claimDueSyncs.ts"
import { claimSkippingBadRows } from "./schedule/claimSkippingBadRows.ts"
import type { Completion } from "./sync/finishRuns.ts"
import { finishSkippingBadRows } from "./sync/finishSkippingBadRows.ts"
import { type Chunk, storeChunk } from "./sync/storeChunk.ts"
import type { WindowSettings } from "./syncRun.ts"

type Retry = <T>(what: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/**
 * `retry` repeats a statement while Postgres is unavailable. Claims are no longer repeated once the process
 * is stopping.
 */
export function createStore({
  pool: { sql },
  windows,
  retry,
  stopping,
}: {
  pool: Pick<Pool, "sql">
  windows: WindowSettings
  retry: Retry
  stopping: AbortSignal
}) {
  return {
    recordTriggers: (triggers: CompactedTrigger[]) =>
      retry("record triggers", () => recordTriggers(sql, windows, triggers)),
    claim: (input: ClaimInput) =>
      retry("claim due syncs", () => claimSkippingBadRows(sql, windows, input), stopping),
    storeChunk: (chunk: Chunk) => retry("store content", () => storeChunk(sql, chunk)),
    finishRuns: (batch: Completion[]) =>
      retry("finish runs", () => finishSkippingBadRows(sql, windows, batch)),
  }
}

export type Store = ReturnType<typeof createStore>
