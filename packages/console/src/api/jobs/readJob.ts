import { jobSchema } from "@sitewire/contracts"
import { findJob } from "../../jobs/jobRows.ts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { jobResponse } from "./jobResponse.ts"

export const readJob = defineRoute({
  method: "get",
  path: "/v1/jobs/{id}",
  operation: "readJob",
  summary: "Read a job: its progress, or the proof of an erasure",
  allow: ["read"],
  params: idParameter,
  success: { status: 200, description: "The job.", schema: jobSchema },
  async handle({ sql, topicPrefix }, { params: { id } }) {
    const row = await findJob(sql, id)
    return row ? ok(jobResponse(row, topicPrefix)) : notFound("job", id)
  },
})
