import { jobSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"
import { findJob, jobAnswer } from "./jobResponse.ts"

export const readJob = defineRoute({
  method: "get",
  path: "/v1/jobs/{id}",
  operation: "readJob",
  summary: "Read a job: how far it is, and of an erasure the proof",
  params: byId,
  success: { status: 200, description: "The job.", schema: jobSchema },
  async handle({ sql, topicPrefix }, { params: { id } }) {
    const row = await findJob(sql, id)
    return row ? ok(jobAnswer(row, topicPrefix)) : notFound("job", id)
  },
})
