import type { ApiKey } from "../api/apiKeys.ts"
import type { ConsoleSession } from "../api/consoleSessions.ts"
import { fields } from "./view.ts"

const state = ["state", { value: keyState }] as const

export const keyView = {
  columns: fields<ApiKey>(
    "id",
    "name",
    state,
    ["expires_at", { as: "ago" }],
    ["last_used_at", { as: "ago", none: "never" }],
    "scopes",
    "created_at",
  ),
  facts: fields<ApiKey & { key?: string }>(
    "id",
    "name",
    state,
    "scopes",
    "created_at",
    ["expires_at", { none: "never" }],
    ["last_used_at", { none: "never" }],
    "revoked_at",
    "key",
  ),
}

function keyState({ revoked_at, expires_at }: ApiKey, now: Date): "revoked" | "expired" | "active" {
  if (revoked_at !== null) return "revoked"
  return expires_at !== null && new Date(expires_at) <= now ? "expired" : "active"
}

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
