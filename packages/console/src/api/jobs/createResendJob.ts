import { invalidRequest, notFound, problem } from "../../http/problems.ts"
import { runningResendOf } from "../../jobs/jobRows.ts"
import { countResend } from "../../jobs/resend/countResend.ts"
import { firstResendPosition } from "../../jobs/resend/resendStep.ts"
import { findChannel } from "../channels/findChannel.ts"
import { implement } from "../implement.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { startJob } from "./startJob.ts"

export const createResendJob = implement(
  "createResendJob",
  async (context, { body: { filter, reason, per_second, dry_run }, caller }) => {
    if (caller.channels !== "all" && (filter.channel === undefined || filter.state !== "dead")) {
      const message = "must contain a channel of the API key and the state dead"
      return invalidRequest("body", [{ field: "filter", message }])
    }
    if (filter.channel !== undefined && !(await findChannel(context.prisma, filter.channel, caller)))
      return notFound("channel", filter.channel)
    const running =
      caller.channels !== "all" && !dry_run && (await runningResendOf(context.sql, filter.channel))
    if (running) {
      const detail = `The resend "${running}" of this channel has not finished. Wait until it has, and try again.`
      return problem("job-running", detail)
    }
    if (dry_run) {
      const counting = { now: new Date(), deadlineMs: countDeadlineMs }
      const { matching, leftOut, complete } = await countResend(context.sql, filter, counting)
      return {
        kind: "alternative",
        status: 200,
        body: { dry_run, matching, left_out: leftOut, complete },
      }
    }
    return startJob(context, caller, {
      kind: "resend",
      filter,
      reason,
      position: firstResendPosition(per_second),
    })
  },
)
