import { createResendJobSchema, dryRunSchema, jobSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { beginResend, countResend } from "../../jobs/resend/resendStep.ts"
import { defineRoute } from "../defineRoute.ts"
import { hasChannel } from "../channels/channelExists.ts"
import { insertJob, jobAnswer } from "./jobResponse.ts"

export const createResendJob = defineRoute({
  method: "post",
  path: "/v1/jobs/resend",
  operation: "createResendJob",
  summary: "Send again all deliveries that match a filter",
  description:
    "Defers them at the pace that is asked for, and goes on after a restart where it was; a delivery is sent as soon as its channel has capacity. Same ids and bytes, to the channels' addresses of then. Deliveries that were erased are left out. The job is done when all are deferred.",
  body: createResendJobSchema,
  others: { 404: "There is no such channel." },
  success: { status: 202, description: "The job, which has begun.", schema: jobSchema },
  alternative: { status: 200, description: "With `dry_run`: what it would do.", schema: dryRunSchema },
  async handle({ prisma, sql, topicPrefix }, { body: { filter, reason, per_second, dry_run }, caller }) {
    if (filter.channel !== undefined && !(await hasChannel(prisma, filter.channel)))
      return notFound("channel", filter.channel)
    if (dry_run) {
      const { matching, leftOut } = await countResend(sql, filter)
      return { kind: "other", status: 200, body: { dry_run, matching, left_out: leftOut, complete: true } }
    }
    const position = beginResend(per_second)
    const row = await insertJob(sql, { kind: "resend", filter, reason, requestedBy: caller, position })
    return ok(jobAnswer(row, topicPrefix), { location: `/v1/jobs/${row.id}` })
  },
})
