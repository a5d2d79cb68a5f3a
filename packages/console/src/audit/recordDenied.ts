import type { PrismaQueries } from "@sitewire/database/prisma"
import type { Logger } from "@sitewire/runtime"
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible"
import { insertAudit, logAudit, type NewAuditEntry, type RequestOrigin } from "./auditEntry.ts"

export type RecordDenied = (
  key: { id: string; name: string },
  operation: string,
  origin: RequestOrigin,
) => Promise<void>

/** At most one entry in ten minutes for each key, route and console: otherwise a key could fill the audit log. */
export function recordDenied({ prisma, log }: { prisma: PrismaQueries; log: Logger }): RecordDenied {
  const limiter = new RateLimiterMemory({ points: 1, duration: 600 })
  return async ({ id, name }, operation, origin) => {
    try {
      await limiter.consume(`${id} ${operation}`)
    } catch (error) {
      if (error instanceof RateLimiterRes) return
      throw error
    }
    const entry: NewAuditEntry = {
      ...origin,
      key_id: id,
      key_name: name,
      operation: "denyRequest",
      target: { kind: "operation", id: operation },
    }
    await insertAudit(prisma, [entry])
    logAudit(log, [entry])
  }
}
