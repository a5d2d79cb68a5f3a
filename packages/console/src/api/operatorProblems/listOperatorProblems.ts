import { operatorProblemSchema, pageSchema, problemQuerySchema } from "@sitewire/contracts"
import { type ProblemRow, problemColumns } from "../../operatorProblems/problemRow.ts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { problemResponse } from "./problemResponse.ts"

export const listOperatorProblems = defineRoute({
  method: "get",
  path: "/v1/problems",
  operation: "listOperatorProblems",
  summary: "List problems of the installation, newest first",
  allow: { read: "all" },
  description:
    "What is wrong now (`open`), and what was (`resolved`). A problem that comes back within five minutes is the same one. At most 100 problems of a kind are open at a time; those beyond are one problem with the subject `*`. Resolved ones are stored as long as the audit log, at most the newest 100,000.",
  query: problemQuerySchema,
  success: {
    status: 200,
    description: "A page of problems.",
    schema: pageSchema(operatorProblemSchema).meta({ id: "OperatorProblemPage" }),
  },
  async handle({ sql }, { query }) {
    const page = await readPage(query, {
      key: newestFirst.key,
      keyOf: (row: ProblemRow) => newestFirst.keyOf(row),
      read(after, count) {
        const values: unknown[] = []
        const value = (one: unknown) => `$${values.push(one)}`
        const conditions = ["true"]
        if (query.state !== undefined)
          conditions.push(query.state === "open" ? "resolved_at is null" : "resolved_at is not null")
        if (query.kind !== undefined) conditions.push(`kind = ${value(query.kind)}`)
        if (query.subject !== undefined) conditions.push(`subject_id = ${value(query.subject)}`)
        if (query.created_after !== undefined)
          conditions.push(`created_at >= ${value(query.created_after)}::timestamptz`)
        if (query.created_before !== undefined)
          conditions.push(`created_at < ${value(query.created_before)}::timestamptz`)
        if (after) conditions.push(`(created_at, id) < (${value(after[0])}::timestamptz, ${value(after[1])})`)
        return sql<ProblemRow>(
          `select ${problemColumns} from operator_problem
            where ${conditions.join(" and ")} order by created_at desc, id desc limit ${count}`,
          values,
        )
      },
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map(problemResponse), next_cursor: page.next_cursor })
  },
})
