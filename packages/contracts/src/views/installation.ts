import type { AuditEntry } from "../api/audit.ts"
import type { Incident } from "../api/incidents.ts"
import type { InvalidEvent } from "../api/invalidEvents.ts"
import type { Job } from "../api/jobs.ts"
import type { TopicStatus } from "../api/topics.ts"
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

export const invalidEventView = {
  columns: fields<InvalidEvent>(
    "rejected_at",
    "channel",
    ["event", { as: "id", value: ({ event_id, key }) => event_id ?? key }],
    "reason",
    "from",
    ["delivery", { as: "id" }],
  ),
}

export const topicView = {
  columns: fields<TopicStatus>(
    ["name", { as: "id" }],
    ["partitions", { value: ({ partitions }) => partitions.length }],
    ["records", { none: "missing" }],
    "lag",
    ["oldest_unread_at", { as: "ago" }],
    [
      "blocked",
      { value: ({ partitions }) => sum(partitions.map((each) => each.open_transaction?.records)) || null },
    ],
    "group",
  ),
}

const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0)

export const jobView = {
  columns: fields<Job>("id", "kind", "state", ["progress", { value: progressText }], "created_at", "reason"),
}

/** `resent 35, left out 4` */
export function progressText({ counts }: Pick<Job, "counts">): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`)
    .join(", ")
}
