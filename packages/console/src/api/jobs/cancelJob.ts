import { jobSchema } from "@sitewire/contracts"
import { notFound, ok, problem } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"
import { cancelJob as cancel, findJob, jobAnswer } from "./jobResponse.ts"

export const cancelJob = defineRoute({
  method: "post",
  path: "/v1/jobs/{id}/cancel",
  operation: "cancelJob",
  summary: "End a job where it is",
  description:
    "What was done stays done: deliveries that a resend has deferred already are sent, and `resent` counts them. When this answers, nothing more of the job is done. Asking twice is safe.",
  params: byId,
  success: { status: 200, description: "The job, cancelled.", schema: jobSchema },
  others: { 409: "The job is done." },
  async handle({ sql, topicPrefix }, { params: { id } }) {
    await cancel(sql, id)
    const row = await findJob(sql, id)
    if (!row) return notFound("job", id)
    if (row.state === "done") return problem(409, `The job "${id}" is done: there is nothing left to cancel.`)
    return ok(jobAnswer(row, topicPrefix))
  },
})
