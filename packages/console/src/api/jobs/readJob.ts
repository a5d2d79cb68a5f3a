import { jobWithOutcomeSchema } from "@sitewire/contracts"
import { sees } from "../../auth/caller.ts"
import { findJob } from "../../jobs/jobRows.ts"
import { countOutcome } from "../../jobs/resend/countOutcome.ts"
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
  allow: { read: "all", "personal-data": "own" },
  params: idParameter,
  success: { status: 200, description: "The job.", schema: jobWithOutcomeSchema },
  async handle({ sql, topicPrefix }, { params: { id }, caller }) {
    const row = await findJob(sql, id)
    if (!row || !sees(caller.jobs, row.kind)) return notFound("job", id)
    const outcome = row.kind === "resend" ? await countOutcome(sql, row) : null
    return ok({ ...jobResponse(row, topicPrefix), outcome })
  },
})
