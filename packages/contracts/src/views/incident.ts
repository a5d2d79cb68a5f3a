import type { Incident } from "../api/incidents.ts"
import { fields } from "./view.ts"

export const incidentView = {
  columns: fields<Incident>(
    "id",
    "since",
    ["state", { value: incidentState }],
    "kind",
    ["subject", { value: ({ subject }) => subject.id }],
    "resolved_at",
    ["max_count", { label: "at most" }],
    ["incident", { value: ({ summary, detail }) => `${summary} ${detail}`.trim() }],
    ["next_step", { value: ({ state, command }) => (state === "open" ? command : null) }],
    ["note", { value: ({ acknowledgement }) => acknowledgement?.note }],
  ),
  facts: fields<Incident>(
    "id",
    ["summary", { label: "incident" }],
    ["detail", { value: ({ detail }) => detail || null }],
    "since",
    [
      "acknowledged",
      { value: ({ acknowledgement: by }) => (by ? `by ${by.by}, until it is resolved` : "no") },
    ],
    ["note", { value: ({ acknowledgement }) => acknowledgement?.note }],
    ["next_step", { value: ({ next_step, command }) => `${next_step} ${command}` }],
  ),
}

function incidentState({ state, acknowledgement }: Incident): string {
  return state === "open" && acknowledgement !== null ? "acknowledged" : state
}
