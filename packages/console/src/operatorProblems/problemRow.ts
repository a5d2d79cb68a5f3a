import type { OperatorProblem } from "@sitewire/contracts"
import type { Prisma } from "@sitewire/database/prisma"

export const problemColumns =
  "id, kind, subject_id, details, max_count, since, created_at, resolved_at, acknowledged_at, acknowledged_by, note"

export type ProblemRow = Omit<
  Prisma.OperatorProblemModel,
  keyof Pick<OperatorProblem, "kind" | "details"> | "seen_at" | "mailed"
> &
  Pick<OperatorProblem, "kind" | "details">

/** So many problems of a kind are open at a time. Those beyond are one problem together. */
export const mostOpen = 100
/** The subject of that one. No channel, host or topic has this id. */
export const others = "*"
