import type { OperatorProblem } from "@sitewire/contracts"
import { problemKinds } from "./problemKinds.ts"
import { mostOpen, others, type ProblemRow } from "./problemRow.ts"

type Described = Pick<OperatorProblem, "subject" | "summary" | "next_step" | "details" | "since">

/** What the webhook and the management API have in common, in the order in which a reader wants it. */
export function describeProblem(row: ProblemRow): Described {
  const { kind, subject_id: id, details, since } = row
  const { subject, ...texts } = problemKinds[kind]
  const { summary, resolved, nextStep } = id === others ? textsOfOthers(row) : texts
  return {
    subject: { kind: subject, id },
    summary: row.resolved_at === null ? summary(id, details) : resolved(id),
    next_step: nextStep(id),
    details,
    since: since.toISOString(),
  }
}

function textsOfOthers({ kind, details }: ProblemRow) {
  return {
    summary: () =>
      `There are more than ${mostOpen} problems of the kind ${kind}: ${details.problems} more, which are not listed one by one.`,
    resolved: () => `All problems of the kind ${kind} are listed one by one.`,
    nextStep: () => `sitewire problem list --state open --kind ${kind}`,
  }
}
