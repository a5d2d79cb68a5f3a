import type { ListedSync } from "../api/connections.ts"
import { fields } from "./view.ts"

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
