import { jobSchema } from "@sitewire/contracts"
import { sees } from "../../auth/caller.ts"
import { cancelRunningJob, findJob } from "../../jobs/jobRows.ts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { jobResponse } from "./jobResponse.ts"

export const cancelJob = defineRoute({
  method: "post",
  path: "/v1/jobs/{id}/cancel",
  operation: "cancelJob",
  summary: "Cancel a job",
  allow: { operate: "own", "personal-data": "own" },
  description:
    "When the response arrives, the job does nothing more. What it has done is not undone: deliveries that a resend has deferred are sent, and `resent` counts them. Cancelling a cancelled job changes nothing. An erasure needs the scope `personal-data`, other jobs `operate`.",
  params: idParameter,
  success: { status: 200, description: "The cancelled job.", schema: jobSchema },
  otherResponses: { 409: "The job is done." },
  async handle({ sql, topicPrefix }, { params: { id }, caller }) {
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
    if (row.state === "done")
      return problem("job-done", `The job "${id}" is done, so it cannot be cancelled.`)
    const changes = changesOf({ state: before.state }, { state: row.state })
    return ok(jobResponse(row, topicPrefix), { audit: { target: { kind: "job", id }, changes } })
  },
})
