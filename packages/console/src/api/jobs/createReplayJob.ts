import { createReplayJobSchema, dryRunSchema } from "@sitewire/contracts"
import { countReplay } from "../../jobs/replay/countReplay.ts"
import { firstReplayPosition } from "../../jobs/replay/replayStep.ts"
import { defineRoute } from "../defineRoute.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { jobStarted, startJob } from "./startJob.ts"

export const createReplayJob = defineRoute({
  method: "post",
  path: "/v1/jobs/replay",
  operation: "createReplayJob",
  summary: "Replay invalid events that match a filter",
  allow: { operate: "all" },
  description:
    "Publishes matching records of site.paid.invalid to site.paid again, unchanged. Events that are still invalid are rejected again; events that have been delivered meanwhile are ignored by their id. Events that an erasure covers are left out: those rejected before it, or up to ten minutes after.",
  readsKafka: true,
  body: createReplayJobSchema,
  success: jobStarted,
  alternative: {
    status: 200,
    description: "With `dry_run`: what the job would do.",
    schema: dryRunSchema,
  },
  async handle(context, { body: { filter, reason, per_second, dry_run }, caller }) {
    if (dry_run) {
      const counted = await countReplay(context, filter, countDeadlineMs)
      return { kind: "alternative", status: 200, body: { dry_run, ...counted } }
    }
    return startJob(context, caller, {
      kind: "replay",
      filter,
      reason,
      position: firstReplayPosition(per_second),
    })
  },
})
