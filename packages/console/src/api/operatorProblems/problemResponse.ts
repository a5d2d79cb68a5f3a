import type { OperatorProblem } from "@sitewire/contracts"
import { describeProblem } from "../../operatorProblems/describeProblem.ts"
import type { ProblemRow } from "../../operatorProblems/problemRow.ts"

export function problemResponse(row: ProblemRow): OperatorProblem {
  return {
    id: row.id,
    kind: row.kind,
    state: row.resolved_at === null ? "open" : "resolved",
    ...describeProblem(row),
    max_count: row.max_count,
    created_at: row.created_at.toISOString(),
    resolved_at: row.resolved_at?.toISOString() ?? null,
    acknowledgement: row.acknowledged_at && {
      at: row.acknowledged_at.toISOString(),
      by: row.acknowledged_by ?? "",
      note: row.note ?? "",
    },
  }
}
