import type { Sql } from "@sitewire/database"
import type { Logger } from "@sitewire/runtime"
import { deleteOldRecords } from "./deleteOldRecords.ts"

const intervalMs = 10 * 60_000

/** Deletes old records at the start and every ten minutes. A failed run is logged, and the next one catches up. */
export function startDeletingOldRecords(settings: { sql: Sql; auditRetentionMs: number; log: Logger }): {
  stop(): void
} {
  const { sql, auditRetentionMs, log } = settings
  const run = () =>
    deleteOldRecords(sql, auditRetentionMs).catch((error: unknown) =>
      log.warn({ error }, "old audit entries could not be deleted; the next run tries again"),
    )
  void run()
  const timer = setInterval(() => void run(), intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
