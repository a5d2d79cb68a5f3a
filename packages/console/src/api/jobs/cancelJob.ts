import { jobSchema } from "@sitewire/contracts"
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
  allow: ["operate"],
  description:
    "When the response arrives, the job does nothing more. What it has done is not undone: deliveries that a resend has deferred are sent, and `resent` counts them. Cancelling a cancelled job changes nothing.",
  params: idParameter,
  success: { status: 200, description: "The cancelled job.", schema: jobSchema },
  otherResponses: { 409: "The job is done." },
  async handle({ sql, topicPrefix }, { params: { id } }) {
    const before = await findJob(sql, id)
    if (!before) return notFound("job", id)
    await cancelRunningJob(sql, id)
    const row = await findJob(sql, id)
    if (!row) return notFound("job", id)
    if (row.state === "done")
      return problem("job-done", `The job "${id}" is done, so it cannot be cancelled.`)
    const changes = changesOf({ state: before.state }, { state: row.state })
    return ok(jobResponse(row, topicPrefix), { audit: { target: { kind: "job", id }, changes } })
  },
})
