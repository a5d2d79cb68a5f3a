import type { Sync } from "@sitewire/contracts"
import { describeSyncError } from "./describeSyncError.ts"

export type SyncRow = {
  fence: string
  started_at: Date
  finished_at: Date | null
  outcome: Sync["outcome"]
  error: string | null
  status: number | null
  triggers: number
  first_trigger_at: Date | null
  last_trigger_at: Date | null
  bytes: string | null
  content_sha256: Buffer | null
}

export function syncResponse(row: SyncRow): Sync {
  return {
    fence: Number(row.fence),
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    outcome: row.outcome,
    error: row.error,
    status: row.status,
    reason: describeSyncError(row.error, row.status)?.reason ?? null,
    triggers: row.triggers,
    first_trigger_at: row.first_trigger_at?.toISOString() ?? null,
    last_trigger_at: row.last_trigger_at?.toISOString() ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    content_sha256: row.content_sha256?.toString("hex") ?? null,
  }
}
