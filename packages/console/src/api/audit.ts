import { type AuditEntry, auditEntrySchema, revealingOperations } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"
import { invalidField } from "../http/problems.ts"
import { responseOf } from "../http/response.ts"
import { implement } from "./implement.ts"
import { listPage, newestFirst } from "./pagination.ts"

export const listAudit = implement("listAudit", async ({ prisma }, { query }) => {
  if (query.target !== undefined && query.target_kind === undefined) {
    const message = "target needs target_kind, because ids are unique only within a kind"
    return invalidField("query", "target", message)
  }
  const { created_after: after, created_before: before } = query
  const filter = {
    ...(query.key === undefined ? {} : { key_id: query.key }),
    ...(query.operation === undefined ? {} : { operation: query.operation }),
    ...(query.revealed === true ? { AND: [{ operation: { in: revealingOperations } }] } : {}),
    ...(query.target_kind === undefined ? {} : { target_kind: query.target_kind }),
    ...(query.target === undefined ? {} : { target_id: query.target }),
    created_at: {
      ...(after === undefined ? {} : { gte: new Date(after) }),
      ...(before === undefined ? {} : { lt: new Date(before) }),
    },
  }
  return listPage(
    query,
    {
      ...newestFirst,
      read: (cursor, count) =>
        prisma.auditEntry.findMany({
          where: { AND: [filter, newestFirst.where(cursor)] },
          orderBy: newestFirst.orderBy,
          take: count,
        }),
    },
    (rows) => rows.map(entryResponse),
  )
})

function entryResponse(row: Prisma.AuditEntryModel): AuditEntry {
  const { target, changes } = auditEntrySchema.shape
  return responseOf(auditEntrySchema, {
    ...row,
    key: { id: row.key_id, name: row.key_name },
    target: target.parse({ kind: row.target_kind, id: row.target_id }),
    changes: changes.parse(row.changes),
  })
}
