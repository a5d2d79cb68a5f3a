import { type Caller, nameOf } from "../../auth/caller.ts"
import { type Audit, changesOf, ok } from "../../http/response.ts"
import { insertJob, type JobRow, type NewJob } from "../../jobs/jobRows.ts"
import type { ApiContext } from "../implement.ts"
import { jobResponse } from "./jobResponse.ts"

/** Stores a job. The job runner begins it. */
export async function startJob(
  { sql, topicPrefix }: Pick<ApiContext, "sql" | "topicPrefix">,
  caller: Caller,
  job: Omit<NewJob, "requested_by">,
) {
  const row = await insertJob(sql, { ...job, requested_by: nameOf(caller) })
  return ok(jobResponse(row, topicPrefix), {
    headers: { location: `/v1/jobs/${row.id}` },
    audit: jobAudit(row),
  })
}

/** The audit entry of a new job. Its filter contains no personal data: an erasure's contains digests only. */
function jobAudit({ id, kind, filter, reason }: JobRow): Audit {
  return { target: { kind: "job", id }, changes: changesOf({}, { kind, filter, reason }) }
}
