import { type AuditEntry, auditEntrySchema } from "@sitewire/contracts"
import { type Route, routes } from "@sitewire/contracts/routes"
import type { Prisma } from "@sitewire/database/prisma"
import { invalidField } from "../http/problems.ts"
import { given, responseOf } from "../http/response.ts"
import { implement } from "./implement.ts"
import { listPage, newestFirst } from "./pagination.ts"

/** Operations that respond with a secret or with personal data: reads that are audited, and writes that make a secret. */
const revealing = Object.entries<Route>(routes).flatMap(([operation, { reveals, shownOnce }]) =>
  reveals || shownOnce !== undefined ? [operation] : [],
)

export const listAudit = implement("listAudit", async ({ prisma }, { query }) => {
  if (query.target !== undefined && query.target_kind === undefined) {
    const message = "target needs target_kind, because ids are unique only within a kind"
    return invalidField("query", "target", message)
  }
  const { created_after: after, created_before: before } = query
  const filter = given({
    key_id: query.key,
    AND: query.revealed === true ? [{ operation: { in: revealing } }] : undefined,
    operation: query.operation,
    target_kind: query.target_kind,
    target_id: query.target,
    created_at: given({ gte: after && new Date(after), lt: before && new Date(before) }),
  })
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
