import type { AuditTargetKind } from "@sitewire/contracts"
import type { Prisma, PrismaQueries } from "@sitewire/database/prisma"
import type { Logger } from "@sitewire/runtime"
import type { Request, Response } from "express"
import type { Audit } from "../http/response.ts"
import { newId } from "../newIds.ts"
import { withoutQuery } from "./withoutQuery.ts"

/** The request that an entry belongs to. */
export type RequestOrigin = Pick<Prisma.AuditEntryModel, "request_id" | "client_address">

export function originOf(request: Request, response: Response): RequestOrigin {
  return { request_id: response.locals.requestId, client_address: request.ip ?? null }
}

/** `key_id` and `key_name` are those of an API key or user. */
export type NewAuditEntry = Pick<
  Prisma.AuditEntryModel,
  "key_id" | "key_name" | "operation" | "request_id" | "client_address"
> & {
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
      target_kind: target.kind,
      target_id: target.id,
      changes: JSON.parse(JSON.stringify(changes, maskAddress)),
    })),
  })
}

function maskAddress(_name: string, value: unknown): unknown {
  return typeof value === "string" ? withoutQuery(value) : value
}

/** After the commit: for systems that collect logs, where nobody who has the database can change them. */
export function logAudit(log: Logger, entries: readonly NewAuditEntry[]): void {
  for (const { key_id, operation, target, request_id } of entries)
    log.info(
      { operation, apiKey: key_id, target: `${target.kind} ${target.id}`, requestId: request_id },
      "audit entry",
    )
}
