import { createReplayJobSchema, dryRunSchema, jobSchema } from "@sitewire/contracts"
import { nameOf } from "../../auth/caller.ts"
import { insertJob } from "../../jobs/jobRows.ts"
import { countReplay } from "../../jobs/replay/countReplay.ts"
import { firstReplayPosition } from "../../jobs/replay/replayStep.ts"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { jobAudit, jobResponse } from "./jobResponse.ts"

export const createReplayJob = defineRoute({
  method: "post",
  path: "/v1/jobs/replay",
  operation: "createReplayJob",
  summary: "Replay invalid events that match a filter",
  allow: ["operate"],
  description:
    "Publishes matching records of site.paid.invalid to site.paid again, unchanged. Events that are still invalid are rejected again; events that have been delivered meanwhile are ignored by their id. Events that an erasure covers are left out: those rejected before it, or up to ten minutes after.",
  body: createReplayJobSchema,
  success: { status: 202, description: "The job, which has begun.", schema: jobSchema, location: true },
  alternative: {
    status: 200,
    description: "With `dry_run`: what the job would do.",
    schema: dryRunSchema,
  },
  async handle(
    { sql, invalidTopic, topicPrefix },
    { body: { filter, reason, per_second, dry_run }, caller },
  ) {
    if (dry_run) {
      const counted = await countReplay({ sql, invalidTopic }, filter, countDeadlineMs)
      return { kind: "alternative", status: 200, body: { dry_run, ...counted } }
    }
    const position = firstReplayPosition(per_second)
    const row = await insertJob(sql, {
      kind: "replay",
      filter,
      reason,
      requestedBy: nameOf(caller),
      position,
    })
    return ok(jobResponse(row, topicPrefix), {
      headers: { location: `/v1/jobs/${row.id}` },
      audit: jobAudit(row),
    })
  },
})
