import {
  type Job,
  jobSchema,
  type RemainingTopic,
  type TopicSettings,
  topicCatalogue,
} from "@sitewire/contracts"
import { responseOf } from "../../http/response.ts"
import { rateOf, totalOf } from "../../jobs/job.ts"
import type { JobRow } from "../../jobs/jobRows.ts"
import { findingsOf } from "../../jobs/reconcile/reconcilePosition.ts"

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
