import {
  type Job,
  jobSchema,
  type RemainingTopic,
  type TopicSettings,
  topicCatalogue,
} from "@sitewire/contracts"
import { nameOf, sees } from "../../auth/caller.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok, responseOf } from "../../http/response.ts"
import { rateOf, totalOf } from "../../jobs/job.ts"
import { cancelRunningJob, findJob, findJobs, type JobRow } from "../../jobs/jobRows.ts"
import { findingsOf } from "../../jobs/reconcile/reconcilePosition.ts"
import { countOutcome } from "../../jobs/resend/countOutcome.ts"
import { implement } from "../implement.ts"
import { listPage, newestFirst } from "../pagination.ts"

export const listJobs = implement("listJobs", async ({ sql, topicPrefix }, { query, caller }) => {
  return listPage(
    query,
    {
      key: newestFirst.key,
      keyOf: (row: JobRow) => newestFirst.keyOf(row),
      read: (after, count) => findJobs(sql, caller.jobs, after, count),
    },
    (rows) => rows.map((row) => jobResponse(row, topicPrefix)),
  )
})

export const readJob = implement("readJob", async ({ sql, topicPrefix }, { params: { id }, caller }) => {
  const row = await findJob(sql, id)
  if (!row || !(sees(caller.jobs, row.kind) || row.requested_by === nameOf(caller)))
    return notFound("job", id)
  const outcome = row.kind === "resend" ? await countOutcome(sql, row) : null
  return ok({ ...jobResponse(row, topicPrefix), outcome })
})

export const cancelJob = implement("cancelJob", async ({ sql, topicPrefix }, { params: { id }, caller }) => {
  const before = await findJob(sql, id)
  if (!before) return notFound("job", id)
  if (!sees(caller.jobs, before.kind)) {
    const scope = before.kind === "erasure" ? "personal-data" : "operate"
    const detail = `The API key may not cancel this job, whose kind is ${before.kind}. That needs the scope ${scope}.`
    return problem("missing-scope", detail)
  }
  await cancelRunningJob(sql, id)
  const row = await findJob(sql, id)
  if (!row) return notFound("job", id)
  if (row.state === "done") return problem("job-done", `The job "${id}" is done, so it cannot be cancelled.`)
  const changes = changesOf({ state: before.state }, { state: row.state })
  return ok(jobResponse(row, topicPrefix), { audit: { target: { kind: "job", id }, changes } })
})

const jobOfAnyKind = jobSchema.omit({ exceptions: true, differing: true, open_transactions: true })

export function jobResponse(row: JobRow, topicPrefix: string): Job {
  const position: unknown = JSON.parse(row.position)
  return {
    ...responseOf(jobOfAnyKind, {
      ...row,
      per_second: rateOf(position),
      total: totalOf(position),
      remains: row.kind === "erasure" ? remains(row.created_at, topicPrefix) : null,
    }),
    ...(row.kind === "reconcile"
      ? findingsOf(position)
      : { exceptions: null, differing: null, open_transactions: null }),
  }
}

/**
 * The topics in which an erased person's or site's data may remain until Kafka deletes it: an erasure cannot
 * delete records on Kafka. These are the topics in `notes`, because all other topics contain ids only.
 */
function remains(createdAt: Date, prefix: string): RemainingTopic[] {
  // The retry settings do not matter, because retry topics contain ids only.
  const settings: TopicSettings = { prefix, retryDelaysMs: [], retryPeriodMs: 0 }
  const notes: Record<string, string> = {
    [`${prefix}site.paid`]:
      "Original events. Those that were published before this job was created are not sent.",
    [`${prefix}site.paid.invalid`]:
      "Invalid events. A replay leaves out those that were published before this job was created.",
  }
  return topicCatalogue(settings).flatMap(({ name, retentionMs, segmentMs }) => {
    const note = notes[name]
    if (note === undefined) return []
    const endsAt = createdAt.getTime() + retentionMs
    return [
      {
        topic: name,
        retention_ends_at: new Date(endsAt).toISOString(),
        last_deleted_at: new Date(endsAt + segmentMs).toISOString(),
        note,
      },
    ]
  })
}
