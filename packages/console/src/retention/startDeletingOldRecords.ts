import type { Sql } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"
import { limitKeys } from "../auth/limitKeys.ts"
import { deleteOldRecords } from "./deleteOldRecords.ts"

const intervalMs = 10 * 60_000

/** Deletes old records at the start and then every ten minutes. */
export function startDeletingOldRecords(settings: {
  sql: Sql
  auditRetentionMs: number
  keyMaxAgeMs: number | undefined
  log: Logger
}): { close(): Promise<void> } {
  const { sql, auditRetentionMs, keyMaxAgeMs, log } = settings
  return repeatUntilClosed({
    async step() {
      await deleteOldRecords(sql, auditRetentionMs)
      if (keyMaxAgeMs !== undefined) await limitKeys(sql, keyMaxAgeMs)
    },
    intervalMs,
    failed: "old records could not be deleted; the next run tries again",
    log,
  })
}
