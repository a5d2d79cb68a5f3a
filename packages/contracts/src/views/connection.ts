import type { Connection, ListedSync, Window } from "../api/connections.ts"
import { fields } from "./view.ts"

type Shown = Connection & { trigger_url?: string; signing_secret?: string }

const lastSync = { label: "last sync" } as const
const lastError = ["last_reason", { label: "last error" }] as const

export const connectionView = {
  columns: fields<Connection>(
    "id",
    "state",
    ["last_synced_at", { ...lastSync, as: "ago" }],
    lastError,
    ["failing_since", { as: "ago" }],
    ["next_sync_at", { as: "ago" }],
    ["last_success_at", { as: "ago" }],
    "runner",
    "site",
    "source",
  ),
  facts: fields<Shown>(
    ["id", { label: "connection" }],
    "site",
    "source",
    "runner",
    ["request_header_names", { label: "request headers" }],
    "state",
    ["last_synced_at", lastSync],
    "last_outcome",
    "last_success_at",
    "failing_since",
    lastError,
    "next_step",
    "window_ends_at",
    "next_sync_at",
    "created_at",
    "token_replaced_at",
    ["signing_secret_replaced_at", { label: "secret replaced" }],
    "trigger_url",
    "signing_secret",
  ),
}

export const windowView = {
  columns: fields<Window>(
    ["sync", { value: ({ sync }) => sync.fence }],
    ["started_at", { value: ({ sync }) => sync.started_at }],
    ["age", { label: "", as: "ago", value: ({ sync }) => sync.started_at }],
    ["outcome", { value: ({ sync }) => sync.outcome }],
    ["error", { value: ({ sync }) => sync.reason }],
    ["triggers", { value: ({ triggers }) => triggers.count }],
    ["covered", { value: ({ covered }) => (covered ? "yes" : "no") }],
    ["first_trigger_at", { value: ({ triggers }) => triggers.first_at }],
    ["last_trigger_at", { value: ({ triggers }) => triggers.last_at }],
  ),
}

export const syncView = {
  columns: fields<ListedSync>(
    ["connection", { as: "id" }],
    ["fence", { label: "#" }],
    "started_at",
    ["age", { label: "", as: "ago", value: ({ started_at }) => started_at }],
    ["duration_ms", { value: ({ started_at, finished_at }) => between(started_at, finished_at) }],
    "outcome",
    ["reason", { label: "error" }],
    "triggers",
    [
      "trigger_to_end_ms",
      { value: ({ first_trigger_at, finished_at }) => between(first_trigger_at, finished_at) },
    ],
    "bytes",
    ["content_sha256", { label: "sha256", value: ({ content_sha256 }) => content_sha256?.slice(0, 12) }],
  ),
}

function between(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from))
}
