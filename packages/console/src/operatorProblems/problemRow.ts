import type { OperatorProblem } from "@sitewire/contracts"

export const problemColumns =
  "id, kind, subject_id, details, max_count, since, created_at, resolved_at, acknowledged_at, acknowledged_by, note"

export type ProblemRow = {
  id: string
  kind: OperatorProblem["kind"]
  subject_id: string
  details: OperatorProblem["details"]
  max_count: number | null
  since: Date
  created_at: Date
  resolved_at: Date | null
  acknowledged_at: Date | null
  acknowledged_by: string | null
  note: string | null
}

/** So many problems of a kind are open at a time. Those beyond are one problem together. */
export const mostOpen = 100
/** The subject of that one. No channel, host or topic has this id. */
export const others = "*"
