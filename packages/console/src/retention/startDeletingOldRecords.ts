import type { Sql } from "@sitewire/database"
import type { Logger } from "@sitewire/runtime"
import { limitKeys } from "../auth/limitKeys.ts"
import { deleteOldRecords } from "./deleteOldRecords.ts"

const intervalMs = 10 * 60_000

/** Deletes old records at the start and every ten minutes. A failed run is logged, and the next one catches up. */
export function startDeletingOldRecords(settings: {
  sql: Sql
  auditRetentionMs: number
  keyMaxAgeMs: number | undefined
  log: Logger
}): { stop(): void } {
  const { sql, auditRetentionMs, keyMaxAgeMs, log } = settings
  const work = async () => {
    await deleteOldRecords(sql, auditRetentionMs)
    if (keyMaxAgeMs !== undefined) await limitKeys(sql, keyMaxAgeMs)
  }
  const run = () =>
    work().catch((error: unknown) =>
      log.warn({ error }, "old records could not be deleted; the next run tries again"),
    )
  void run()
  const timer = setInterval(() => void run(), intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}
