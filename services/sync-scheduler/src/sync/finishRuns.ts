import { plainArray, type Sql } from "@sitewire/database"
import type { SyncResult } from "../syncRun.ts"

/** How a run ended. `sentAfterMs`: from asking for its grant until the source had its request; null: it sent none. */
export type Completion = {
  connection: string
  fence: number
  grantId: string
  result: SyncResult
  sentAfterMs: number | null
  /** It took long, or ran into a time limit. */
  slow: boolean
}

/** For the connection's next window; for that of a run that was under way as it came; for a source that failed. */
type Waited = "window" | "during_run" | "after_failure"

export type Finish =
  | {
      kind: "recorded"
      /** Until the connection's next start; null: nothing is left to do. */
      dueInMs: number | null
      /** From the first trigger's acceptance to now; null unless the run covered it. */
      syncedMs: number | null
      /** What the first trigger waited for. */
      waited: Waited
    }
  /** A newer start has been granted, or Postgres lost this one's grant; nothing of this run was written. */
  | { kind: "stale" }
  /** Postgres rejects the values of this run; nothing of it was written. */
  | { kind: "failed"; error: unknown }

/** Windows from a failed start to the next one, by the number of failures in a row. */
const retryDistances = [1, 2, 4, 8, 15]

/**
 * Ends runs, one statement for all that ended at about the same time. The answers stand in the order given.
 *
 * - Only a run whose fence and grant id are still the newest is in `held`, and everything is written from there: windows, runs,
 *   the snapshot and what is removed of its chunks. One statement, so that a crash leaves all of it or nothing, and
 *   content that counts as synced is never without its triggers counted as covered.
 * - Rows are locked in the order of their ids, as in `raiseTriggers`.
 * - `window_ends_at`: a window from when the request was really sent. The grant was asked for before Postgres read
 *   `started_at`, so `started_at + sentAfterMs` is never earlier than the sending; one millisecond more, because
 *   the column rounds to milliseconds. A run that was given up before it sent anything opened no window; one that
 *   failed before that did, because a source that cannot be reached is not to be called without a pause.
 * - A run that failed leaves its triggers uncovered: their times go back to the window. `failures` is 0 if a
 *   trigger came during the run, so a failure then waits for the next window only.
 * - The first trigger came during a run if it came before the end of the run just before this one and that one,
 *   having succeeded, did not cover it. If that one failed, it may have waited for the source for hours.
 * - `run` hands on what it got from `held`: the planner, which knows nothing of the arrays' lengths, would join the two
 *   row by row, and 256 rows then spend half of the statement on that.
 * - Chunks of this run and older ones go, unless they are the snapshot's: also those of a run that crashed.
 */
export async function finishRuns(
  sql: Sql,
  { windowMs }: { windowMs: number },
  completions: readonly Completion[],
): Promise<Finish[]> {
  const contents = completions.map(({ result }) => ("content" in result ? result.content : null))
  const rows = await sql<FinishRow>(
    finish,
    [
      completions.map(({ connection }) => connection),
      plainArray(completions.map(({ fence }) => fence)),
      plainArray(completions.map(({ result }) => result.outcome)),
      orNull(completions.map(({ result }) => ("error" in result ? result.error : null))),
      plainArray(completions.map(({ sentAfterMs }) => (sentAfterMs === null ? null : sentAfterMs + 1))),
      plainArray(contents.map((content) => content?.bytes ?? null)),
      orNull(contents.map((content) => content?.sha256 ?? null)),
      orNull(contents.map((content) => content?.contentType ?? null)),
      orNull(contents.map((content) => content?.etag ?? null)),
      orNull(contents.map((content) => content?.lastModified ?? null)),
      windowMs,
      retryDistances,
      plainArray(completions.map(({ grantId }) => grantId)),
      plainArray(completions.map(({ slow }) => String(slow))),
    ],
    "finish-runs",
  )
  const recorded = new Map(rows.map((row) => [row.grant_id, row]))
  return completions.map(({ grantId }): Finish => {
    const row = recorded.get(grantId)
    if (row === undefined) return { kind: "stale" }
    const { due_in_ms: dueInMs, synced_ms: syncedMs, waited } = row
    return { kind: "recorded", dueInMs, syncedMs, waited }
  })
}

/** Most runs bring nothing new, and `unnest` makes nulls of null too. */
function orNull<T>(values: (T | null)[]): (T | null)[] | null {
  return values.every((value) => value === null) ? null : values
}

type FinishRow = {
  grant_id: string
  due_in_ms: number | null
  synced_ms: number | null
  waited: Waited
}

const finish = `
with clock as materialized (select clock_timestamp() as at),
held as materialized (
  select w.connection_id, w.fence, w.grant_id, ended.slow, ended.outcome::sync_outcome as outcome, ended.error, ended.sent_after_ms,
    ended.bytes, ended.sha256, ended.content_type, ended.etag, ended.last_modified,
    ended.outcome in ('changed', 'unchanged') as covers,
    case ended.outcome when 'failed' then w.failures + 1 when 'abandoned' then w.failures else 0 end as failures
  from sync_window w
  join unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::float8[], $6::bigint[], $7::bytea[],
      $8::text[], $9::text[], $10::text[], $13::uuid[], $14::boolean[])
    as ended (connection_id, fence, outcome, error, sent_after_ms, bytes, sha256, content_type, etag, last_modified,
      grant_id, slow)
    on ended.connection_id = w.connection_id and ended.fence = w.fence and ended.grant_id = w.grant_id
  where w.running
  order by w.connection_id
  for update of w
),
run as (
  update sync_run r set
    finished_at = clock.at, outcome = held.outcome, error = held.error, bytes = held.bytes,
    content_sha256 = held.sha256
  from held, clock
  where r.connection_id = held.connection_id and r.fence = held.fence
  returning held.*, r.started_at, r.first_trigger_at, r.last_trigger_at, r.correlation
),
ended as materialized (
  select run.*,
    case when run.sent_after_ms is null and run.outcome = 'abandoned' then run.started_at
      else run.started_at + ($11::float8 + coalesce(run.sent_after_ms, 0)) * interval '1 millisecond'
    end as window_ends_at,
    case when run.outcome = 'failed'
      then ($12::int[])[least(run.failures, array_length($12::int[], 1))] - 1 else 0 end as windows_more,
    case when run.first_trigger_at >= before.finished_at then 'window'
      when before.outcome in ('changed', 'unchanged') then 'during_run'
      when before.outcome = 'failed' then 'after_failure' else 'window' end as waited
  from run
  left join sync_run before on before.connection_id = run.connection_id and before.fence = run.fence - 1
),
written as (
  update sync_window w set
    running = false,
    covered = case when ended.covers then w.claimed else w.covered end,
    failures = ended.failures,
    last_error = case ended.outcome when 'abandoned' then w.last_error else ended.error end,
    slow = case ended.outcome when 'abandoned' then w.slow else ended.slow end,
    waiting_for_host = null,
    window_ends_at = ended.window_ends_at,
    due_at = case when ended.covers and w.requested <= w.claimed then null
      else greatest(clock.at,
        ended.window_ends_at + ended.windows_more * $11::float8 * interval '1 millisecond') end,
    first_trigger_at =
      case when ended.covers then w.first_trigger_at else least(w.first_trigger_at, ended.first_trigger_at) end,
    last_trigger_at =
      case when ended.covers then w.last_trigger_at else greatest(w.last_trigger_at, ended.last_trigger_at) end,
    correlation = case when ended.covers then w.correlation else coalesce(ended.correlation, w.correlation) end
  from ended, clock
  where w.connection_id = ended.connection_id
  returning w.grant_id, w.due_at, ended.covers, ended.first_trigger_at, ended.waited
),
stored as (
  insert into snapshot
    (connection_id, fence, content_sha256, content_type, etag, last_modified, bytes, stored_at)
  select connection_id, fence, sha256, content_type, etag, last_modified, bytes, clock.at
  from ended, clock where outcome = 'changed' and sha256 is not null
  on conflict (connection_id) do update set
    fence = excluded.fence, content_sha256 = excluded.content_sha256, content_type = excluded.content_type,
    etag = excluded.etag, last_modified = excluded.last_modified, bytes = excluded.bytes,
    stored_at = excluded.stored_at
),
revalidated as (
  update snapshot s set etag = ended.etag, last_modified = ended.last_modified
  from ended
  where s.connection_id = ended.connection_id and ended.outcome = 'unchanged' and ended.sha256 is not null
),
dropped as (
  delete from snapshot_chunk c
  using ended left join snapshot s on s.connection_id = ended.connection_id
  where c.connection_id = ended.connection_id and c.fence <= ended.fence
    and c.fence is distinct from
      case when ended.outcome = 'changed' and ended.sha256 is not null then ended.fence else s.fence end
)
select written.grant_id, written.waited,
  (extract(epoch from written.due_at - clock.at) * 1000)::float8 as due_in_ms,
  case when written.covers
    then (extract(epoch from clock.at - written.first_trigger_at) * 1000)::float8 end as synced_ms
from written, clock
`
