import { createErasureJobSchema, dryRunSchema, jobSchema } from "@sitewire/contracts"
import { subjectOf } from "@sitewire/erasure"
import { ok } from "../response.ts"
import { beginErasure, countErasure } from "../../jobs/erasure/erasureStep.ts"
import { defineRoute } from "../defineRoute.ts"
import { insertJob, jobAnswer } from "./jobResponse.ts"

/** Below the time that callers wait for an answer. */
const countMs = 8_000

export const createErasureJob = defineRoute({
  method: "post",
  path: "/v1/jobs/erasure",
  operation: "createErasureJob",
  summary: "Erase what is kept of a person or a site",
  description:
    "Bodies, their hashes and what partners answered to them; the deliveries stay, in the state `erased`. The job keeps a digest of what was asked for. Read it when it is done: it is the proof, and lists what could not be erased.",
  body: createErasureJobSchema,
  success: { status: 202, description: "The job, which has begun.", schema: jobSchema },
  alternative: { status: 200, description: "With `dry_run`: what it would do.", schema: dryRunSchema },
  async handle({ sql, topicPrefix }, { body: { email, site_url, reason, dry_run }, caller }) {
    const subject = subjectOf({ ...(email ? { email } : {}), ...(site_url ? { site_url } : {}) })
    if (dry_run) {
      const counted = await countErasure(sql, subject, countMs)
      return { kind: "other", status: 200, body: { dry_run, left_out: 0, ...counted } }
    }
    const position = beginErasure()
    const job = { kind: "erasure" as const, filter: subject, reason, requestedBy: caller, position }
    const row = await insertJob(sql, job)
    return ok(jobAnswer(row, topicPrefix), { location: `/v1/jobs/${row.id}` })
  },
})
