import { createErasureJobSchema, dryRunSchema, subjectOf } from "@sitewire/contracts"
import { readDigestKey, storedSubject } from "@sitewire/database"
import { countErasure } from "../../jobs/erasure/countErasure.ts"
import { firstErasurePosition } from "../../jobs/erasure/erasureStep.ts"
import { defineRoute } from "../defineRoute.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { jobStarted, startJob } from "./startJob.ts"

export const createErasureJob = defineRoute({
  method: "post",
  path: "/v1/jobs/erasure",
  operation: "createErasureJob",
  summary: "Erase all data of a person or a site",
  allow: { "personal-data": "all" },
  description:
    "Erases the bodies of deliveries, their hashes, and partners' responses to them. The deliveries remain, in the state `erased`. The job stores a digest of the e-mail address (keyed) or URL. When it is done it is the proof of the erasure, and lists what could not be erased.",
  expensive: true,
  body: createErasureJobSchema,
  success: jobStarted,
  alternative: {
    status: 200,
    description: "With `dry_run`: what the job would do.",
    schema: dryRunSchema,
  },
  async handle(context, { body: { email, site_url, reason, dry_run }, caller }) {
    const subject = subjectOf({ ...(email ? { email } : {}), ...(site_url ? { site_url } : {}) })
    if (dry_run) {
      const counted = await countErasure(context, subject, countDeadlineMs)
      return { kind: "alternative", status: 200, body: { dry_run, left_out: 0, ...counted } }
    }
    return startJob(context, caller, {
      kind: "erasure",
      filter: storedSubject(await readDigestKey(context.sql, context.sealingKeys), subject),
      reason,
      position: firstErasurePosition,
    })
  },
})
