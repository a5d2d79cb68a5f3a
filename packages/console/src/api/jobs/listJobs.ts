import { ok } from "../../http/response.ts"
import { findJobs, type JobRow } from "../../jobs/jobRows.ts"
import { implement } from "../implement.ts"
import { newestFirst, readPage } from "../pagination.ts"
import { jobResponse } from "./jobResponse.ts"

export const listJobs = implement("listJobs", async ({ sql, topicPrefix }, { query, caller }) => {
  const page = await readPage(query, {
    key: newestFirst.key,
    keyOf: (row: JobRow) => newestFirst.keyOf(row),
    read: (after, count) => findJobs(sql, caller.jobs, after, count),
  })
  if (page.kind === "problem") return page
  return ok({ data: page.rows.map((row) => jobResponse(row, topicPrefix)), next_cursor: page.next_cursor })
})
