import { formatDuration, subjectOf, topicCatalogue } from "@sitewire/contracts"
import { readDigestKey, storedSubject } from "@sitewire/database"
import { type Caller, nameOf } from "../../auth/caller.ts"
import { invalidField, notFound, problem } from "../../http/problems.ts"
import { type Audit, changesOf, ok } from "../../http/response.ts"
import { countErasure, firstErasurePosition } from "../../jobs/erasure/erasureStep.ts"
import { insertJob, type JobRow, type NewJob, runningResendOf } from "../../jobs/jobRows.ts"
import { firstReconcilePosition } from "../../jobs/reconcile/reconcilePosition.ts"
import { countReplay } from "../../jobs/replay/countReplay.ts"
import { firstReplayPosition } from "../../jobs/replay/replayStep.ts"
import { countResend } from "../../jobs/resend/countResend.ts"
import { firstResendPosition } from "../../jobs/resend/resendStep.ts"
import { findChannel } from "../channels/channelResponse.ts"
import { type ApiContext, implement } from "../implement.ts"
import { jobResponse } from "./jobs.ts"

export const createResendJob = implement(
  "createResendJob",
  async (context, { body: { filter, reason, per_second, dry_run }, caller }) => {
    if (caller.channels !== "all" && (filter.channel === undefined || filter.state !== "dead")) {
      const message = "must contain a channel of the API key and the state dead"
      return invalidField("body", "filter", message)
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
      return dryRun(await countResend(context.sql, filter, counting))
    }
    return startJob(context, caller, {
      kind: "resend",
      filter,
      reason,
      position: firstResendPosition(per_second),
    })
  },
)

export const createReplayJob = implement(
  "createReplayJob",
  async (context, { body: { filter, reason, per_second, dry_run }, caller }) => {
    if (dry_run) {
      return dryRun(await countReplay(context, filter, countDeadlineMs))
    }
    return startJob(context, caller, {
      kind: "replay",
      filter,
      reason,
      position: firstReplayPosition(per_second),
    })
  },
)

export const createErasureJob = implement(
  "createErasureJob",
  async (context, { body: { email, site_url, reason, dry_run }, caller }) => {
    const subject = subjectOf({ ...(email ? { email } : {}), ...(site_url ? { site_url } : {}) })
    if (dry_run) {
      return dryRun({ left_out: 0, ...(await countErasure(context, subject, countDeadlineMs)) })
    }
    return startJob(context, caller, {
      kind: "erasure",
      filter: storedSubject(await readDigestKey(context.sql, context.sealingKeys), subject),
      reason,
      position: firstErasurePosition,
    })
  },
)

/** The response in place of a new job. */
const dryRun = (counted: object) => ({ kind: "alternative", body: { dry_run: true, ...counted } }) as const

/** Stores a job. The job runner begins it. */
async function startJob(
  { sql, topicPrefix }: Pick<ApiContext, "sql" | "topicPrefix">,
  caller: Caller,
  job: Omit<NewJob, "requested_by">,
) {
  const row = await insertJob(sql, { ...job, requested_by: nameOf(caller) })
  return ok(jobResponse(row, topicPrefix), {
    headers: { location: `/v1/jobs/${row.id}` },
    audit: jobAudit(row),
  })
}

/** The audit entry of a new job. Its filter contains no personal data: an erasure's contains digests only. */
function jobAudit({ id, kind, filter, reason }: JobRow): Audit {
  return { target: { kind: "job", id }, changes: changesOf({}, { kind, filter, reason }) }
}

/** How long a dry run counts at most, so that it responds before usual HTTP clients time out. */
const countDeadlineMs = 8_000

export const createReconcileJob = implement("createReconcileJob", async (context, { body, caller }) => {
  const now = Date.now()
  const { created_after, created_before = new Date(now).toISOString(), reason = "not given" } = body
  const why = whyTooOld(now - Date.parse(created_after), context.deliveryRetentionMs)
  if (why !== null) return invalidField("body", "created_after", `created_after ${why}`)
  const filter = {
    created_after,
    created_before: new Date(Math.min(Date.parse(created_before), now)).toISOString(),
  }
  return startJob(context, caller, { kind: "reconcile", filter, reason, position: firstReconcilePosition })
})

/** Null: Kafka and Postgres have all records and deliveries of this age. */
function whyTooOld(ageMs: number, retentionMs: number): string | null {
  if (ageMs > retentionMs) {
    return `must be at most ${formatDuration(retentionMs)} ago, because older deliveries are deleted (RETENTION)`
  }
  if (ageMs > kafkaRetentionMs) {
    return `must be at most ${formatDuration(kafkaRetentionMs)} ago, because Kafka deletes older events and triggers`
  }
  return null
}

const checked = ["site.paid", "connector.triggered"]
const kafkaRetentionMs = Math.min(
  ...topicCatalogue({ prefix: "", retryDelaysMs: [], retryPeriodMs: 0 })
    .filter(({ name }) => checked.includes(name))
    .map(({ retentionMs }) => retentionMs),
)
