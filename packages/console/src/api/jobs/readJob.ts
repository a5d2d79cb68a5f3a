import { nameOf, sees } from "../../auth/caller.ts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { findJob } from "../../jobs/jobRows.ts"
import { countOutcome } from "../../jobs/resend/countOutcome.ts"
import { implement } from "../implement.ts"
import { jobResponse } from "./jobResponse.ts"

export const readJob = implement("readJob", async ({ sql, topicPrefix }, { params: { id }, caller }) => {
  const row = await findJob(sql, id)
  if (!row || !(sees(caller.jobs, row.kind) || row.requested_by === nameOf(caller)))
    return notFound("job", id)
  const outcome = row.kind === "resend" ? await countOutcome(sql, row) : null
  return ok({ ...jobResponse(row, topicPrefix), outcome })
})
