import { type CompactedTrigger, createScanStart, type Pool, recordTriggers } from "@sitewire/database"
import { type Logger, type RetryStatement, type RowClaim, whileLocked } from "@sitewire/runtime"
import { unlessTooSlow } from "./batchTooSlow.ts"
import { claimChanges, settleChanges, type UnpublishedChange } from "./publish/unpublishedChanges.ts"
import type { ClaimInput, HostQueue } from "./schedule/claimDueSyncs.ts"
import { claimSkippingBadRows } from "./schedule/claimSkippingBadRows.ts"
import type { Completion } from "./sync/finishRuns.ts"
import { finishSkippingBadRows } from "./sync/finishSkippingBadRows.ts"
import { type Chunk, type StoredChunk, storeChunk } from "./sync/storeChunk.ts"
import { storeInTurn } from "./sync/storeInTurn.ts"
import type { WindowSettings } from "./syncRun.ts"

/** How long a batch of triggers waits for a row that another transaction has locked. */
const lockWaitMs = 1_000

/**
 * `retry` repeats a statement while Postgres is unavailable. Claims are no longer repeated once the process
 * is stopping.
 */
export function createStore({
  pool: { sql },
  windows,
  siteMaxBytes,
  retry,
  stopping,
  expiring,
  log,
}: {
  pool: Pick<Pool, "sql">
  windows: WindowSettings
  siteMaxBytes: number
  retry: RetryStatement
  stopping: AbortSignal
  expiring: AbortSignal
  log: Logger
}) {
  const scanStart = createScanStart()
  let afterQueue: HostQueue | null = null
  const store = storeInTurn((chunk) => retry("store content", () => storeChunk(sql, chunk, siteMaxBytes)))
  return {
    recordTriggers: (triggers: CompactedTrigger[], { waitForLocks }: { waitForLocks: boolean }) => {
      const { settleMs } = windows
      const settings = { settleMs, keepLosses: true, lockWaitMs: waitForLocks ? lockWaitMs : 0 }
      const record = () => unlessTooSlow(triggers.length, recordTriggers(sql, settings, triggers))
      return retry("record triggers", record)
    },
    async claim(input: ClaimInput) {
      const from = { ...input, scanFromMs: scanStart.next(), afterQueue }
      const claim = await retry("claim due syncs", () => claimSkippingBadRows(sql, windows, from), stopping)
      scanStart.found(claim.oldestDueMs)
      afterQueue = claim.lastQueue
      return claim
    },
    storeChunk: (chunk: Chunk, site: string | null): Promise<StoredChunk> =>
      whileLocked({
        owner: { connection: chunk.connection },
        work: () => store(chunk, site),
        signal: expiring,
        log,
      }),
    finishRuns: (batch: Completion[]) =>
      retry("finish runs", () => finishSkippingBadRows(sql, windows, batch)),
    claimChanges: (settings: RowClaim) => claimChanges(sql, settings),
    settleChanges: (changes: UnpublishedChange[]) => settleChanges(sql, changes),
  }
}

export type Store = ReturnType<typeof createStore>
