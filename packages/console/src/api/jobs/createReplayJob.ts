import { createReplayJobSchema, dryRunSchema, jobSchema } from "@sitewire/contracts"
import { ok } from "../response.ts"
import { beginReplay, countReplay } from "../../jobs/replay/replayStep.ts"
import { defineRoute } from "../defineRoute.ts"
import { insertJob, jobAnswer } from "./jobResponse.ts"

/** Below the time that callers wait for an answer. */
const countMs = 8_000

export const createReplayJob = defineRoute({
  method: "post",
  path: "/v1/jobs/replay",
  operation: "createReplayJob",
  summary: "Publish refused events again",
  description:
    "Records of site.paid.invalid that match go back to site.paid as they came. Those that are still invalid are refused again; events that were delivered meanwhile are known by their id. What was refused before it was asked to be erased, or up to ten minutes after, is left out.",
  body: createReplayJobSchema,
  success: { status: 202, description: "The job, which has begun.", schema: jobSchema },
  alternative: { status: 200, description: "With `dry_run`: what it would do.", schema: dryRunSchema },
  async handle({ sql, invalid, topicPrefix }, { body: { filter, reason, per_second, dry_run }, caller }) {
    if (dry_run) {
      const counted = await countReplay({ sql, invalid }, filter, countMs)
      return { kind: "other", status: 200, body: { dry_run, ...counted } }
    }
    const position = beginReplay(per_second)
    const row = await insertJob(sql, { kind: "replay", filter, reason, requestedBy: caller, position })
    return ok(jobAnswer(row, topicPrefix), { location: `/v1/jobs/${row.id}` })
  },
})
