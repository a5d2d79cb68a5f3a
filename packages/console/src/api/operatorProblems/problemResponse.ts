import { type OperatorProblem, operatorProblemSchema } from "@sitewire/contracts"
import { describeProblem } from "../../operatorProblems/describeProblem.ts"
import type { ProblemRow } from "../../operatorProblems/problemRow.ts"
import { responseOf } from "../responseOf.ts"

export function problemResponse(row: ProblemRow): OperatorProblem {
  return responseOf(operatorProblemSchema, {
    ...row,
    state: row.resolved_at === null ? "open" : "resolved",
    ...describeProblem(row),
    acknowledgement: row.acknowledged_at && {
      at: row.acknowledged_at.toISOString(),
      by: row.acknowledged_by ?? "",
      note: row.note ?? "",
    },
  })
}
