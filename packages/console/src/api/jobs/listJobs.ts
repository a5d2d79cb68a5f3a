import { jobSchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { ok } from "../response.ts"
import { byCreation, readPage } from "../pagination.ts"
import { defineRoute } from "../defineRoute.ts"
import { findJobs, type JobRow, jobAnswer } from "./jobResponse.ts"

export const listJobs = defineRoute({
  method: "get",
  path: "/v1/jobs",
  operation: "listJobs",
  summary: "List jobs, newest first",
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of jobs.",
    schema: pageSchema(jobSchema).meta({ id: "JobPage" }),
  },
  async handle({ sql, topicPrefix }, { query }) {
    const page = await readPage(query, {
      key: byCreation.key,
      keyOf: ({ created_at, id }: JobRow) => byCreation.keyOf({ createdAt: created_at, id }),
      read: (after, take) => findJobs(sql, after, take),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map((row) => jobAnswer(row, topicPrefix)), next_cursor: page.next_cursor })
  },
})
