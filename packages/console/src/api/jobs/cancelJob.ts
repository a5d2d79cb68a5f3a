import { sees } from "../../auth/caller.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { cancelRunningJob, findJob } from "../../jobs/jobRows.ts"
import { implement } from "../implement.ts"
import { jobResponse } from "./jobResponse.ts"

export const cancelJob = implement("cancelJob", async ({ sql, topicPrefix }, { params: { id }, caller }) => {
  const before = await findJob(sql, id)
  if (!before) return notFound("job", id)
  if (!sees(caller.jobs, before.kind)) {
    const scope = before.kind === "erasure" ? "personal-data" : "operate"
    const detail = `The API key may not cancel this job, whose kind is ${before.kind}. That needs the scope ${scope}.`
    return problem("missing-scope", detail)
  }
  await cancelRunningJob(sql, id)
  const row = await findJob(sql, id)
  if (!row) return notFound("job", id)
  if (row.state === "done") return problem("job-done", `The job "${id}" is done, so it cannot be cancelled.`)
  const changes = changesOf({ state: before.state }, { state: row.state })
  return ok(jobResponse(row, topicPrefix), { audit: { target: { kind: "job", id }, changes } })
})
