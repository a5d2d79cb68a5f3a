import type { OperatorProblem } from "@sitewire/contracts"
import { block } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"

export function problemBlock(problem: OperatorProblem, style: Style): string {
  const { acknowledgement } = problem
  return block(style, [
    ["id", problem.id],
    ["problem", problem.summary],
    ["since", style.time(problem.since)],
    ["acknowledged", acknowledgement ? `by ${acknowledgement.by}, until it is resolved` : "no"],
    ["note", acknowledgement?.note ?? null],
    ["next step", problem.next_step],
  ])
}
