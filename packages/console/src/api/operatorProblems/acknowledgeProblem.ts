import { acknowledgeProblemSchema, type OperatorProblem, operatorProblemSchema } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { nameOf } from "../../auth/caller.ts"
import { type ProblemRow, problemColumns } from "../../operatorProblems/problemRow.ts"
import { defineRoute } from "../defineRoute.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { changesOf, ok, type Problem, type Success } from "../response.ts"
import { problemResponse } from "./problemResponse.ts"

const path = "/v1/problems/{id}/acknowledge"
const otherResponses = { 409: "The problem is resolved." }

export const acknowledgeProblem = defineRoute({
  method: "post",
  path,
  operation: "acknowledgeProblem",
  summary: "Acknowledge a problem",
  allow: { operate: "all" },
  description:
    "Until the problem is resolved, it is shown as one that somebody cares for. If it comes back later, it is a new problem, which is not acknowledged. Acknowledging it again replaces the note.",
  params: idParameter,
  body: acknowledgeProblemSchema,
  success: { status: 200, description: "The acknowledged problem.", schema: operatorProblemSchema },
  otherResponses,
  async handle({ sql }, { params: { id }, body: { note }, caller }) {
    return changeAcknowledgement(sql, id, { by: nameOf(caller), note: maskEmails(note) })
  },
})

export const withdrawAcknowledgement = defineRoute({
  method: "delete",
  path,
  operation: "withdrawAcknowledgement",
  summary: "Withdraw the acknowledgement of a problem",
  allow: { operate: "all" },
  description: "If the problem is not acknowledged, nothing changes.",
  params: idParameter,
  success: { status: 200, description: "The problem.", schema: operatorProblemSchema },
  otherResponses,
  async handle({ sql }, { params: { id } }) {
    return changeAcknowledgement(sql, id, null)
  },
})

async function changeAcknowledgement(
  sql: Sql,
  id: string,
  to: { by: string; note: string } | null,
): Promise<Success<OperatorProblem> | Problem> {
  const [before] = await sql<ProblemRow>(
    `select ${problemColumns} from operator_problem where id = $1 for update`,
    [id],
  )
  if (!before) return notFound("problem", id)
  if (before.resolved_at !== null) {
    const detail = `The problem "${id}" is resolved, so there is nothing to acknowledge. GET /v1/problems?state=open lists those that exist.`
    return problem("problem-resolved", detail)
  }
  const [after = before] = await sql<ProblemRow>(
    ...named(
      `update operator_problem
          set acknowledged_at = case when $by::text is not null then now() end, acknowledged_by = $by, note = $note
        where id = $id returning ${problemColumns}`,
      { id, by: to?.by ?? null, note: to?.note ?? null },
    ),
  )
  const { acknowledged_by, note } = after
  const audit = {
    target: { kind: "problem" as const, id },
    changes: changesOf(before, { acknowledged_by, note }),
  }
  return ok(problemResponse(after), { audit })
}
