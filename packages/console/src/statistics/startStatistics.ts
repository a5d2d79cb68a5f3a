import type { Pool } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import { deleteOldStatistics } from "./deleteOldStatistics.ts"
import { type CountingDelays, hourMs, rollUp } from "./rollUp.ts"

/** Counts each minute after its end. */
export function startStatistics(settings: {
  pool: Pool
  intervalMs: number
  delays?: CountingDelays | undefined
  log: Logger
}): {
  close(): Promise<void>
} {
  const { pool, intervalMs, delays, log } = settings
  let nextDeletionAt = 0

  return repeatUntilClosed({
    async step(signal) {
      for (let more = true; more && !signal.aborted; ) {
        const done = await rollUp(pool, delays)
        more = done === "counted" || done === "settled"
      }
      if (performance.now() < nextDeletionAt) return
      await deleteOldStatistics(pool.sql)
      nextDeletionAt = performance.now() + hourMs
    },
    intervalMs,
    failed: "statistics could not be counted; the console tries again",
    log,
  })
}
