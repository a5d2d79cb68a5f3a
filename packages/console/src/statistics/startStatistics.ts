import type { Pool } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import { countNextMinute, hourMs } from "./countNextMinute.ts"
import { deleteOldStatistics } from "./deleteOldStatistics.ts"

/** Counts each minute after its end. */
export function startStatistics(settings: {
  pool: Pool
  intervalMs: number
  marginMs?: number | undefined
  log: Logger
}): {
  close(): Promise<void>
} {
  const { pool, intervalMs, marginMs, log } = settings
  let nextDeletionAt = 0

  return repeatUntilClosed({
    async step(signal) {
      while (!signal.aborted && (await countNextMinute(pool, marginMs)) === "counted");
      if (performance.now() < nextDeletionAt) return
      await deleteOldStatistics(pool.sql)
      nextDeletionAt = performance.now() + hourMs
    },
    intervalMs,
    failed: "statistics could not be counted; the console tries again",
    log,
  })
}
