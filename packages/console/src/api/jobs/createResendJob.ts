import { createResendJobSchema, dryRunSchema } from "@sitewire/contracts"
import { countResend } from "../../jobs/resend/countResend.ts"
import { firstResendPosition } from "../../jobs/resend/resendStep.ts"
import { findChannel } from "../channels/findChannel.ts"
import { defineRoute } from "../defineRoute.ts"
import { notFound } from "../problems.ts"
import { countDeadlineMs } from "./countDeadline.ts"
import { jobStarted, startJob } from "./startJob.ts"

export const createResendJob = defineRoute({
  method: "post",
  path: "/v1/jobs/resend",
  operation: "createResendJob",
  summary: "Resend all deliveries that match a filter",
  allow: { operate: "all" },
  description:
    "Defers the deliveries at the requested rate; each is sent as soon as its channel has capacity, with the same id and bytes, to the channel's current address. Erased deliveries are left out. The job continues after a restart, and is done when all deliveries are deferred.",
  expensive: true,
  body: createResendJobSchema,
  otherResponses: { 404: "The channel does not exist." },
  success: jobStarted,
  alternative: {
    status: 200,
    description: "With `dry_run`: what the job would do.",
    schema: dryRunSchema,
  },
  async handle(context, { body: { filter, reason, per_second, dry_run }, caller }) {
    if (filter.channel !== undefined && !(await findChannel(context.prisma, filter.channel, caller)))
      return notFound("channel", filter.channel)
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
})
