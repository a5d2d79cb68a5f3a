import { type Job, type RemainingTopic, type TopicSettings, topicCatalogue } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { paceOf } from "../../jobs/job.ts"
import { newId } from "../../newIds.ts"

const columns = "id, kind, state, filter, reason, requested_by, position, counts, created_at, finished_at"

export type JobRow = {
  id: string
  kind: Job["kind"]
  state: Job["state"]
  filter: Record<string, string>
  reason: string
  requested_by: string
  position: string
  counts: Record<string, number>
  created_at: Date
  finished_at: Date | null
}

type NewJob = {
  kind: Job["kind"]
  filter: object
  reason: string
  requestedBy: string
  /** Where the runner begins. */
  position: object
}

/** Makes a job; a runner finds it within a second. Its time is Postgres's, as that of the deliveries is. */
export async function insertJob(sql: Sql, job: NewJob): Promise<JobRow> {
  const { kind, filter, reason, requestedBy, position } = job
  const [row] = await sql<JobRow>(
    `insert into job (id, kind, filter, reason, requested_by, position, created_at)
     values ($1, $2::job_kind, $3::jsonb, $4, $5, $6, now())
     returning ${columns}`,
    [newId("job"), kind, JSON.stringify(filter), reason, requestedBy, JSON.stringify(position)],
  )
  if (!row) throw new Error("the statement that makes a job returned no row")
  return row
}

export async function findJob(sql: Sql, id: string): Promise<JobRow | undefined> {
  const [row] = await sql<JobRow>(`select ${columns} from job where id = $1`, [id])
  return row
}

/** Newest first, below the key of the page before. */
export function findJobs(
  sql: Sql,
  after: readonly [createdAt: string, id: string] | undefined,
  take: number,
): Promise<JobRow[]> {
  return sql<JobRow>(
    `select ${columns} from job
      where $1::timestamptz is null or (created_at, id) < ($1::timestamptz, $2)
      order by created_at desc, id desc limit $3`,
    [after?.[0] ?? null, after?.[1] ?? null, take],
  )
}

/** Waits for the step that is under way; when it returns, nothing more is done. */
export async function cancelJob(sql: Sql, id: string): Promise<void> {
  await sql("update job set state = 'cancelled', finished_at = now() where id = $1 and state = 'running'", [
    id,
  ])
}

export function jobAnswer(row: JobRow, topicPrefix: string): Job {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    filter: row.filter,
    per_second: paceOf(JSON.parse(row.position)),
    reason: row.reason,
    requested_by: row.requested_by,
    counts: row.counts,
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    remains: row.kind === "erasure" ? remains(row.created_at, topicPrefix) : null,
  }
}

/**
 * What an erasure cannot reach: bodies of records on Kafka. All other topics name deliveries and hold nothing of
 * people. A record goes with its segment, which is closed `segment.ms` after its first record at the latest.
 */
function remains(createdAt: Date, prefix: string): RemainingTopic[] {
  // Retry topics hold no bodies, so their delays do not matter here.
  const settings: TopicSettings = { prefix, retryDelaysMs: [], retryPeriodMs: 0 }
  const notes: Record<string, string> = {
    [`${prefix}site.paid`]:
      "Records as they were published. One that was published before this job was made is not sent any more.",
    [`${prefix}site.paid.invalid`]:
      "Refused records; a replay leaves out those that were refused before this job began.",
  }
  return topicCatalogue(settings).flatMap(({ name, retentionMs, segmentMs }) => {
    const note = notes[name]
    if (note === undefined) return []
    const endsAt = createdAt.getTime() + retentionMs
    return [
      {
        topic: name,
        retention_ends_at: new Date(endsAt).toISOString(),
        gone_by: new Date(endsAt + segmentMs).toISOString(),
        note,
      },
    ]
  })
}
