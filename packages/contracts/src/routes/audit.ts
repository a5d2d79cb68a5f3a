import { auditEntrySchema, auditQuerySchema } from "../api/audit.ts"
import { pageOf, type Route } from "./route.ts"

export const auditRoutes = {
  listAudit: {
    method: "get",
    path: "/v1/audit",
    summary: "Search the audit log, newest first",
    allow: { admin: "all" },
    description:
      "Every write, and every read that revealed a secret or personal data: who, what, when, with the values before and after. Of requests that failed, only those are listed for which the key lacks the scope: one in ten minutes for each key and route, with the operation `denyRequest`. Each entry is also a log line of the console. Entries are kept for AUDIT_RETENTION, a year by default.",
    expensive: true,
    query: auditQuerySchema,
    success: pageOf(auditEntrySchema, "AuditPage", "A page of entries."),
  },
} satisfies Record<string, Route>
