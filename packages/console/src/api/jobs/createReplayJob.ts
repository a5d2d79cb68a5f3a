import { countReplay } from "../../jobs/replay/countReplay.ts"
import { firstReplayPosition } from "../../jobs/replay/replayStep.ts"
import { implement } from "../implement.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { startJob } from "./startJob.ts"

export const createReplayJob = implement(
  "createReplayJob",
  async (context, { body: { filter, reason, per_second, dry_run }, caller }) => {
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
)
