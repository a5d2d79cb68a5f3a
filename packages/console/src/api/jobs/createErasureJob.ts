import { createErasureJobSchema, dryRunSchema, jobSchema } from "@sitewire/contracts"
import { subjectOf } from "@sitewire/erasure"
import { nameOf } from "../../auth/caller.ts"
import { countErasure } from "../../jobs/erasure/countErasure.ts"
import { firstErasurePosition } from "../../jobs/erasure/erasureStep.ts"
import { insertJob } from "../../jobs/jobRows.ts"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { jobAudit, jobResponse } from "./jobResponse.ts"

export const createErasureJob = defineRoute({
  method: "post",
  path: "/v1/jobs/erasure",
  operation: "createErasureJob",
  summary: "Erase all data of a person or a site",
  allow: ["operate"],
  description:
    "Erases the bodies of deliveries, their hashes, and partners' responses to them. The deliveries remain, in the state `erased`. The job stores a digest of the e-mail address or URL. When it is done it is the proof of the erasure, and lists what could not be erased.",
  body: createErasureJobSchema,
  success: { status: 202, description: "The job, which has begun.", schema: jobSchema, location: true },
  alternative: {
    status: 200,
    description: "With `dry_run`: what the job would do.",
    schema: dryRunSchema,
  },
  async handle({ sql, topicPrefix }, { body: { email, site_url, reason, dry_run }, caller }) {
    const subject = subjectOf({ ...(email ? { email } : {}), ...(site_url ? { site_url } : {}) })
    if (dry_run) {
      const counted = await countErasure(sql, subject, countDeadlineMs)
      return { kind: "alternative", status: 200, body: { dry_run, left_out: 0, ...counted } }
    }
    const position = firstErasurePosition()
    const job = { kind: "erasure" as const, filter: subject, reason, requestedBy: nameOf(caller), position }
    const row = await insertJob(sql, job)
    return ok(jobResponse(row, topicPrefix), {
      headers: { location: `/v1/jobs/${row.id}` },
      audit: jobAudit(row),
    })
  },
})
