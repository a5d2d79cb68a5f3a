import type { Job } from "@sitewire/contracts"
import { beginWithLimit, named, onOwnConnection, type Pool } from "@sitewire/database"
import { sleepUnlessAborted } from "@sitewire/runtime"
import type { RunningJob, Step, StepContext } from "./job.ts"
import type { JobRow } from "./jobRows.ts"

export type StepFunctions = Record<Job["kind"], (job: RunningJob, context: StepContext) => Promise<Step>>

export type StepOutcome =
  | { kind: "no job" }
  | { kind: "completed"; job: RunningJob; done: boolean; counts: Record<string, number> }
  | { kind: "failed"; job: RunningJob; error: unknown }

type Row = Pick<JobRow, "id" | "kind" | "filter" | "position" | "counts" | "created_at"> & { now: Date }

// Other consoles skip the locked row, so only one console at a time runs a job. If a console is killed, its
// connection ends, and Postgres releases the lock. The job whose next step has been due longest is first.
const claim = `
select id, kind, filter, position, counts, created_at, clock_timestamp() as now
  from job
 where state = 'running' and id <> all($1::text[])
   and coalesce((position::jsonb ->> 'nextStepAt')::timestamptz, created_at) <= now()
 order by coalesce((position::jsonb ->> 'nextStepAt')::timestamptz, created_at), id
 limit 1
   for update skip locked`

const savePosition = `
update job
   set position = $position, counts = $counts::jsonb,
       state = (case when $done then 'done' else 'running' end)::job_state,
       finished_at = case when $done then clock_timestamp() end
 where id = $id`

/**
 * Claims a job, runs its next step, and saves its new position in the same transaction. A step that fails or does not end
 * within `deadlineMs` writes nothing. If the database is unavailable, the promise rejects, and nothing was written.
 */
export async function runStep(
  pool: Pool,
  steps: StepFunctions,
  context: Omit<StepContext, "sql">,
  { excluded, deadlineMs }: { excluded: readonly string[]; deadlineMs: number },
): Promise<StepOutcome> {
  let failed: { job: RunningJob; error: unknown } | undefined
  const running = onOwnConnection<StepOutcome>(pool, async (sql) => {
    await sql(beginWithLimit)
    const [row] = await sql<Row>(claim, [excluded])
    if (!row) {
      await sql("rollback")
      return { kind: "no job" }
    }
    const { id, kind, filter, created_at: createdAt, now } = row
    const job: RunningJob = { id, kind, filter, position: JSON.parse(row.position), createdAt, now }
    const step = await withinDeadline(deadlineMs, steps[kind](job, { ...context, sql })).catch(
      (error: unknown) => {
        failed = { job, error }
        // Closes the connection, so that a late step can write nothing any more.
        throw error
      },
    )
    const counts = { ...row.counts }
    for (const [name, more] of Object.entries(step.counts)) counts[name] = (counts[name] ?? 0) + more
    const nextStepAt = new Date(now.getTime() + (step.intervalMs ?? 0)).toISOString()
    const position = JSON.stringify({ ...step.position, nextStepAt })
    await sql(...named(savePosition, { id, position, counts: JSON.stringify(counts), done: step.done }))
    await sql("commit")
    return { kind: "completed", job, done: step.done, counts }
  })
  return running.catch((error: unknown) => {
    if (failed) return { kind: "failed", ...failed }
    throw error
  })
}

async function withinDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  const ended = new AbortController()
  const late = sleepUnlessAborted(ms, ended.signal).then(() => {
    throw new Error(`the step has not ended within ${ms / 1_000} s`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    ended.abort()
  }
}
