import type { ConsoleSession } from "../api/consoleSessions.ts"
import { fields } from "./view.ts"

export const sessionView = {
  columns: fields<ConsoleSession>(
    "id",
    ["name", { value: ({ owner }) => owner.name }],
    ["created_at", { label: "signed in" }],
    ["last_used_at", { as: "ago" }],
    ["expires_at", { label: "ends", as: "ago" }],
    ["owner", { value: ({ owner }) => owner.id, as: "id" }],
    "scopes",
  ),
}
