import { jobSchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { findJobs, type JobRow } from "../../jobs/jobRows.ts"
import { defineRoute } from "../defineRoute.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { ok } from "../response.ts"
import { jobResponse } from "./jobResponse.ts"

export const listJobs = defineRoute({
  method: "get",
  path: "/v1/jobs",
  operation: "listJobs",
  summary: "List jobs, newest first",
  allow: { read: "all", "personal-data": "own" },
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of jobs.",
    schema: pageSchema(jobSchema).meta({ id: "JobPage" }),
  },
  async handle({ sql, topicPrefix }, { query, caller }) {
    const page = await readPage(query, {
      key: newestFirst.key,
      keyOf: (row: JobRow) => newestFirst.keyOf(row),
      read: (after, count) => findJobs(sql, caller.jobs, after, count),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map((row) => jobResponse(row, topicPrefix)), next_cursor: page.next_cursor })
  },
})
