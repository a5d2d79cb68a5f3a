import { type Sync, syncSchema } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { describeSyncError } from "../../connections/describeSyncError.ts"
import { responseOf } from "../../http/response.ts"

/** The driver returns a `bigint` as a text. */
export type SyncRow = Pick<
  Prisma.SyncRunModel,
  | "started_at"
  | "outcome"
  | "error"
  | "status"
  | "triggers"
  | "first_trigger_at"
  | "last_trigger_at"
  | "content_sha256"
> & { fence: string; finished_at: Date | null; bytes: string | null }

export function syncResponse(row: SyncRow): Sync {
  return responseOf(syncSchema, {
    ...row,
    fence: Number(row.fence),
    reason: describeSyncError(row.error, row.status)?.reason ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    content_sha256: row.content_sha256 && Buffer.from(row.content_sha256).toString("hex"),
  })
}
