import type { Job } from "@sitewire/contracts"
import { onOwnConnection, type Pool } from "@sitewire/database"
import type { RunningJob, Step, StepParts } from "./job.ts"

type Steppers = Record<Job["kind"], (job: RunningJob, parts: StepParts) => Promise<Step>>

export type Taken =
  | { kind: "nothing" }
  | { kind: "stepped"; job: RunningJob; done: boolean; counts: Record<string, number> }
  | { kind: "away"; job: RunningJob; why: string }
  | { kind: "failed"; job: RunningJob; error: unknown }

type Row = {
  id: string
  kind: Job["kind"]
  filter: unknown
  position: string
  counts: Record<string, number>
  created_at: Date
  now: Date
}

// The row is locked for as long as the step takes, and a console that comes meanwhile passes it over: no job is run
// twice, whoever is killed, because a lock ends with its connection. Cancelling waits for the step that is under way.
// Jobs take turns, the one that has waited longest first.
const claim = `
select id, kind, filter, position, counts, created_at, clock_timestamp() as now
  from job
 where state = 'running' and id <> all($1::text[])
   and coalesce((position::jsonb ->> 'notBefore')::timestamptz, created_at) <= now()
 order by coalesce((position::jsonb ->> 'notBefore')::timestamptz, created_at), id
 limit 1
   for update skip locked`

// A console that stops in the middle without its connection ending would hold the job, and whoever cancels it, for ever.
// No step takes so long: what Kafka has not answered within half of it, it answers no more.
const begin = "begin; set local idle_in_transaction_session_timeout = '60s'"

const write = `
update job
   set position = $2, counts = $3::jsonb,
       state = (case when $4 then 'done' else 'running' end)::job_state,
       finished_at = case when $4 then clock_timestamp() end
 where id = $1`

/**
 * Takes one step of one job, and writes down where the job stands in the same transaction. `resting` are jobs to pass
 * over. Rejects where the database is away; then nothing was written.
 */
export function takeStep(
  pool: Pool,
  steppers: Steppers,
  parts: Omit<StepParts, "sql">,
  resting: readonly string[],
): Promise<Taken> {
  return onOwnConnection(pool, async (sql) => {
    await sql(begin)
    const [row] = await sql<Row>(claim, [resting])
    if (!row) {
      await sql("rollback")
      return { kind: "nothing" }
    }
    const { id, kind, filter, created_at: createdAt, now } = row
    const job: RunningJob = { id, kind, filter, position: JSON.parse(row.position), createdAt, now }
    const step = await steppers[kind](job, { ...parts, sql }).catch((error: unknown) => ({
      kind: "failed" as const,
      error,
    }))
    if (step.kind !== "stepped") {
      await sql("rollback")
      return { ...step, job }
    }
    const counts = { ...row.counts }
    for (const [name, more] of Object.entries(step.counts)) counts[name] = (counts[name] ?? 0) + more
    const notBefore = new Date(now.getTime() + (step.restMs ?? 0)).toISOString()
    const position = JSON.stringify({ ...step.position, notBefore })
    await sql(write, [id, position, JSON.stringify(counts), step.done])
    await sql("commit")
    return { kind: "stepped", job, done: step.done, counts }
  })
}
