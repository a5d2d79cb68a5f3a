import type { Job } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { newId } from "../newIds.ts"
import { forgetReplayed } from "./replay/countReplay.ts"

const columns = "id, kind, state, filter, reason, requested_by, position, counts, created_at, finished_at"

export type JobRow = Pick<
  Prisma.JobModel,
  "id" | "kind" | "state" | "reason" | "requested_by" | "created_at" | "finished_at"
> &
  Pick<Job, "filter" | "counts"> & { position: string }

export type NewJob = Pick<JobRow, "kind" | "reason" | "requested_by"> & { filter: object; position: object }

/**
 * Creates a job. Its creation time is from Postgres's clock, because jobs compare it with that of deliveries.
 */
export async function insertJob(sql: Sql, job: NewJob): Promise<JobRow> {
  const { kind, filter, reason, requested_by, position } = job
  const [row] = await sql<JobRow>(
    ...named(
      `insert into job (id, kind, filter, reason, requested_by, position, created_at)
       values ($id, $kind::job_kind, $filter::jsonb, $reason, $requested_by, $position, now())
       returning ${columns}`,
      {
        ...{ id: newId("job"), kind, filter: JSON.stringify(filter), reason, requested_by },
        position: JSON.stringify(position),
      },
    ),
  )
  if (!row) throw new Error("the insert into job returned no row")
  return row
}

export async function findJob(sql: Sql, id: string): Promise<JobRow | undefined> {
  const [row] = await sql<JobRow>(`select ${columns} from job where id = $1`, [id])
  return row
}

/** The id of a resend of this channel that has not finished. A partner has one at a time, because each may read all of the channel. */
export async function runningResendOf(sql: Sql, channel: string | undefined): Promise<string | undefined> {
  const [row] = await sql<{ id: string }>(
    "select id from job where state = 'running' and kind = 'resend' and filter ->> 'channel' = $1 limit 1",
    [channel],
  )
  return row?.id
}

export function findJobs(
  sql: Sql,
  kinds: "all" | readonly Job["kind"][],
  after: readonly [createdAt: string, id: string] | undefined,
  count: number,
): Promise<JobRow[]> {
  return sql<JobRow>(
    ...named(
      `select ${columns} from job
        where ($created_at::timestamptz is null or (created_at, id) < ($created_at::timestamptz, $id))
          and ($kinds::job_kind[] is null or kind = any($kinds::job_kind[]))
        order by created_at desc, id desc limit $count`,
      {
        ...{ created_at: after?.[0] ?? null, id: after?.[1] ?? null, count },
        kinds: kinds === "all" ? null : kinds,
      },
    ),
  )
}

/**
 * Cancels a job. The update waits for a step in progress, because the step's transaction locks the
 * job's row.
 */
export async function cancelRunningJob(sql: Sql, id: string): Promise<void> {
  await sql("update job set state = 'cancelled', finished_at = now() where id = $1 and state = 'running'", [
    id,
  ])
  await forgetReplayed(sql, id)
}
