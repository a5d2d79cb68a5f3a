import type { AuditTargetKind } from "@sitewire/contracts"
import type { PrismaQueries } from "@sitewire/database/prisma"
import type { Logger } from "@sitewire/runtime"
import type { Request, Response } from "express"
import type { Audit } from "../api/response.ts"
import { withoutQuery } from "../api/withoutQuery.ts"
import { newId } from "../newIds.ts"

/** The request that an entry belongs to. */
export type RequestOrigin = { requestId: string; clientAddress: string | null }

export function originOf(request: Request, response: Response): RequestOrigin {
  return { requestId: response.locals.requestId, clientAddress: request.ip ?? null }
}

export type NewAuditEntry = RequestOrigin & {
  /** Id and name of the API key or user. */
  keyId: string
  keyName: string
  operation: string
  target: { kind: AuditTargetKind; id: string }
  changes?: Audit["changes"]
}

export async function insertAudit(
  prisma: Pick<PrismaQueries, "auditEntry">,
  entries: readonly NewAuditEntry[],
): Promise<void> {
  await prisma.auditEntry.createMany({
    data: entries.map(({ target, changes = {}, ...entry }) => ({
      id: newId("aud"),
      ...entry,
      targetKind: target.kind,
      targetId: target.id,
      changes: JSON.parse(JSON.stringify(changes, maskAddress)),
    })),
  })
}

function maskAddress(_name: string, value: unknown): unknown {
  return typeof value === "string" ? withoutQuery(value) : value
}

/** After the commit: for systems that collect logs, where nobody who has the database can change them. */
export function logAudit(log: Logger, entries: readonly NewAuditEntry[]): void {
  for (const { keyId, operation, target, requestId } of entries)
    log.info({ operation, apiKey: keyId, target: `${target.kind} ${target.id}`, requestId }, "audit entry")
}
