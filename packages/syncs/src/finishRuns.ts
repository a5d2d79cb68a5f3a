import { type Columns, columnValues, defineStatement, type Sql, unnestColumns } from "@sitewire/database"
import type { Traceparent } from "@sitewire/runtime"
import { joinTraceparents, retryWindows, type SyncResult } from "./syncRun.ts"

/** `sentAfterMs`: upper bound of the time from the run's claim until the source had the request. Null: none was sent. */
export type Completion = {
  connection: string
  fence: number
  grantId: string
  result: SyncResult
  sentAfterMs: number | null
  slow: boolean
  /** The context of the run's span, to which the next run links if this one failed. */
  traceparent?: Traceparent | null
}

export type Finish =
  | {
      kind: "recorded"
      /** Null: the connection is not due again. */
      dueInMs: number | null
      /** From the acceptance of the first trigger to now. Null if the run covered no trigger. */
      syncedMs: number | null
    }
  /**
   * Nothing was written: a newer start was granted, the connection was changed or deleted, or Postgres lost this grant in a failover.
   */
  | { kind: "stale" }

/**
 * Records the ends of runs in one statement, so that a crash cannot separate content from the triggers that it covers. The results are
 * in the order of `completions`; `locked`: another transaction has locked the row.
 *
 * - `newest` selects the runs whose fence and grant id are still the newest. Joining the parameters again took half of the statement's
 *   time.
 * - By `started_at + sentAfterMs`, the source had the request. `window_ends_at` is one window later. 1 ms is added, because the columns
 *   round to milliseconds. An abandoned run that sent nothing uses up no window. A failed run does, so that an unreachable source is not
 *   called without a pause.
 * - After a failure with a status, the next request has no validator: some servers reject their own.
 * - From the row of `unpublished_change`, the record of `connection.changed` follows.
 * - Chunks of this and of older runs are deleted, except those of the snapshot and of contents that have not expired.
 */
export async function finishRuns(
  sql: Sql,
  { windowMs }: { windowMs: number },
  completions: readonly Completion[],
): Promise<(Finish | "locked")[]> {
  const rows = await finish(sql, { ...columnValues(columns, completions), windowMs, retryWindows })
  const found = new Map(rows.map((row) => [row.grant_id, row]))
  const missing = completions.filter(({ grantId }) => !found.has(grantId))
  if (missing.length > 0)
    for (const row of await readGrants(sql, columnValues(idColumns, missing))) found.set(row.grant_id, row)
  return completions.map(({ grantId }) => {
    const row = found.get(grantId)
    if (row === undefined) return { kind: "stale" }
    if (row.running) return "locked"
    return { kind: "recorded", dueInMs: row.due_in_ms, syncedMs: row.synced_ms }
  })
}

const contentOf = ({ result }: Completion) => ("content" in result ? result.content : null)

const idColumns: Columns<Completion> = {
  connection_id: ["text", ({ connection }) => connection],
  fence: ["bigint", ({ fence }) => fence],
  grant_id: ["uuid", ({ grantId }) => grantId],
}
const columns: Columns<Completion> = {
  ...idColumns,
  outcome: ["word", ({ result }) => result.outcome],
  error: ["word", ({ result }) => ("error" in result ? result.error : null)],
  status: ["smallint", ({ result }) => ("status" in result ? (result.status ?? null) : null)],
  sent_after_ms: ["float8", ({ sentAfterMs: ms }) => (ms === null ? null : ms + 1)],
  slow: ["boolean", ({ slow }) => slow],
  traceparent: ["text", ({ traceparent }) => traceparent ?? null],
  bytes: ["bigint", (completion) => contentOf(completion)?.bytes ?? null],
  sha256: ["bytea", (completion) => contentOf(completion)?.sha256 ?? null],
  content_type: ["text", (completion) => contentOf(completion)?.contentType ?? null],
  etag: ["text", (completion) => contentOf(completion)?.etag ?? null],
}

type GrantRow = {
  grant_id: string
  running: boolean
  due_in_ms: number | null
  synced_ms: number | null
}

/** How long a replaced content can be read, so that a reader that has begun can finish. */
export const readableForMs = 600_000
const readableFor = `interval '${readableForMs} milliseconds'`

const finish = defineStatement<GrantRow>(
  "finish-runs",
  `
with clock as materialized (select clock_timestamp() as at),
newest as materialized (
  select w.connection_id, w.fence, w.grant_id, ended.slow, ended.outcome::sync_outcome as outcome, ended.error, ended.sent_after_ms,
    ended.bytes, ended.sha256, ended.content_type, ended.etag, ended.traceparent, ended.status,
    w.run_started_at as started_at, w.run_triggers as triggers, w.run_first_trigger_at as first_trigger_at,
    w.run_last_trigger_at as last_trigger_at, w.run_correlation as correlation, w.run_traceparents as traceparents,
    ended.outcome in ('changed', 'unchanged') as covers,
    case ended.outcome when 'failed' then w.failures + 1 when 'abandoned' then w.failures else 0 end as failures
  from sync_window w
  join ${unnestColumns(columns, "ended")}
    on ended.connection_id = w.connection_id and ended.fence = w.fence and ended.grant_id = w.grant_id
  where w.running
  for update of w skip locked
),
recorded as (
  insert into sync_run (connection_id, fence, started_at, finished_at, outcome, error, status, triggers,
    first_trigger_at, last_trigger_at, correlation, traceparents, bytes, content_sha256)
  select connection_id, fence, started_at, clock.at, outcome, error, status, triggers, first_trigger_at,
    last_trigger_at, correlation, traceparents, bytes, sha256
  from newest, clock
),
ended as materialized (
  select newest.*, outcome = 'changed' and sha256 is not null as stores,
    case when sent_after_ms is null and outcome = 'abandoned' then started_at
      else started_at + ($windowMs::float8 + coalesce(sent_after_ms, 0)) * interval '1 millisecond'
    end as window_ends_at,
    case when outcome = 'failed'
      then ($retryWindows::int[])[least(failures, array_length($retryWindows::int[], 1))] - 1 else 0 end as retry_windows
  from newest
),
written as (
  update sync_window w set
    running = false,
    covered = case when ended.covers then w.claimed else w.covered end,
    failures = ended.failures,
    last_error = case ended.outcome when 'abandoned' then w.last_error else ended.error end,
    last_status = case ended.outcome when 'abandoned' then w.last_status else ended.status end,
    slow = case ended.outcome when 'abandoned' then w.slow else ended.slow end,
    last_synced_at = case ended.outcome when 'abandoned' then w.last_synced_at else clock.at end,
    last_outcome = case ended.outcome when 'abandoned' then w.last_outcome else ended.outcome end,
    last_success_at = case when ended.covers then clock.at else w.last_success_at end,
    failing_since = case ended.outcome when 'abandoned' then w.failing_since
      when 'failed' then coalesce(w.failing_since, clock.at) end,
    waiting_for_host = null,
    run_correlation = null,
    run_traceparents = null,
    window_ends_at = ended.window_ends_at,
    due_at = case when ended.covers and w.requested <= w.claimed then null
      else greatest(clock.at,
        ended.window_ends_at + ended.retry_windows * $windowMs::float8 * interval '1 millisecond') end,
    first_trigger_at =
      case when ended.covers then w.first_trigger_at else least(w.first_trigger_at, ended.first_trigger_at) end,
    last_trigger_at =
      case when ended.covers then w.last_trigger_at else greatest(w.last_trigger_at, ended.last_trigger_at) end,
    correlation = case when ended.covers then w.correlation else coalesce(ended.correlation, w.correlation) end,
    traceparents = case when ended.covers then w.traceparents
      else ${joinTraceparents("ended.traceparents", "ended.traceparent", "w.traceparents")} end
  from ended, clock
  where w.connection_id = ended.connection_id
  returning w.grant_id, w.due_at, ended.covers, ended.first_trigger_at
),
stored as (
  insert into snapshot
    (connection_id, fence, content_sha256, content_type, etag, bytes, stored_at)
  select connection_id, fence, sha256, content_type, etag, bytes, clock.at
  from ended, clock where ended.stores
  on conflict (connection_id) do update set
    fence = excluded.fence, content_sha256 = excluded.content_sha256, content_type = excluded.content_type,
    etag = excluded.etag, bytes = excluded.bytes, stored_at = excluded.stored_at
  returning connection_id, fence
),
unpublished as (
  insert into unpublished_change (connection_id, fence) select connection_id, fence from stored
  on conflict (connection_id) do update set fence = excluded.fence
),
replaced as (
  insert into previous_snapshot
    (connection_id, fence, content_sha256, content_type, bytes, stored_at, replaced_at)
  select s.connection_id, s.fence, s.content_sha256, s.content_type, s.bytes, s.stored_at, clock.at
  from stored join snapshot s using (connection_id), clock
  on conflict do nothing
),
deleted_previous as (
  delete from previous_snapshot p using ended, clock
  where p.connection_id = ended.connection_id and p.replaced_at < clock.at - ${readableFor}
),
revalidated as (
  update snapshot s set etag = ended.etag
  from ended
  where s.connection_id = ended.connection_id and s.etag is distinct from ended.etag
    and (ended.outcome = 'unchanged' and ended.sha256 is not null or ended.status is not null)
),
deleted_chunks as (
  delete from snapshot_chunk c
  using ended left join snapshot s using (connection_id), clock
  where c.connection_id = ended.connection_id and c.fence <= ended.fence and c.fence is distinct from s.fence
    and (c.fence <> ended.fence or not ended.stores)
    and not exists (select from previous_snapshot p
      where p.connection_id = c.connection_id and p.fence = c.fence and p.replaced_at >= clock.at - ${readableFor})
)
select written.grant_id, false as running,
  (extract(epoch from written.due_at - clock.at) * 1000)::float8 as due_in_ms,
  case when written.covers
    then (extract(epoch from clock.at - written.first_trigger_at) * 1000)::float8 end as synced_ms
from written, clock
`,
)

/** For runs whose ends `finish` did not record: the end of one that is not running was recorded by a statement whose result was lost. */
const readGrants = defineStatement<GrantRow>(
  "read-grants",
  `
select w.grant_id, w.running,
  (extract(epoch from w.due_at - clock_timestamp()) * 1000)::float8 as due_in_ms,
  case when w.last_success_at >= w.run_started_at
    then (extract(epoch from w.last_success_at - w.run_first_trigger_at) * 1000)::float8 end as synced_ms
from ${unnestColumns(idColumns, "ended")}
join sync_window w on w.connection_id = ended.connection_id and w.fence = ended.fence and w.grant_id = ended.grant_id
`,
)
