import { subjectOf } from "@sitewire/contracts"
import { readDigestKey, storedSubject } from "@sitewire/database"
import { countErasure } from "../../jobs/erasure/countErasure.ts"
import { firstErasurePosition } from "../../jobs/erasure/erasureStep.ts"
import { implement } from "../implement.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { startJob } from "./startJob.ts"

export const createErasureJob = implement(
  "createErasureJob",
  async (context, { body: { email, site_url, reason, dry_run }, caller }) => {
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
)
