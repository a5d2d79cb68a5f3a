import type { AuditEntry } from "../api/audit.ts"
import { fields } from "./view.ts"

export const auditView = {
  columns: fields<AuditEntry>(
    ["created_at", { label: "time" }],
    ["key", { value: ({ key }) => key.name }],
    "operation",
    ["target", { value: ({ target }) => `${target.kind} ${target.id}` }],
    ["changes", { value: changesText }],
    ["client_address", { label: "address" }],
    ["request_id", { label: "request" }],
  ),
}

/** `address "https://old.example/" → "https://new.example/"` */
function changesText({ changes }: AuditEntry): string {
  return Object.entries(changes)
    .map(([field, change]) => `${field} ${JSON.stringify(change.old)} → ${JSON.stringify(change.new)}`)
    .join(", ")
}
