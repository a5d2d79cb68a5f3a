import type { SyncError } from "@sitewire/contracts"
import type { Traceparent } from "@sitewire/runtime"

/** What the first of a run's triggers waited for. */
export type WaitedFor = "window" | "during_run" | "after_failure"

/** A start that Postgres granted to this process and no other. */
export type GrantedRun = {
  connection: string
  site: string | null
  /** Results are discarded unless fence and grant id are the connection's newest. */
  fence: number
  /** Random, because after a failover that lost this grant, another run can get the same fence. */
  grantId: string
  /** `pull`: we download the source. `delegate`: the service at `source`, an executor, does the sync. */
  runner: "pull" | "delegate"
  /** Never logged: its query may contain credentials. */
  source: string
  host: string
  slow: boolean
  startedAt: Date
  triggers: number
  firstTriggerAt: Date | null
  lastTriggerAt: Date | null
  waitedFor: WaitedFor
  correlation: string | null
  /** The recorded contexts of the triggers that the run covers, and of failed runs that covered them before. */
  traceparents: Traceparent[]
  /** The connection's own credentials, encrypted. Null: it has no request headers. */
  signingSecret: Buffer
  requestHeaders: Buffer | null
  etag: string | null
  contentSha256: Buffer | null
}

export type Content = {
  sha256: Buffer
  bytes: number
  contentType: string | null
  etag: string | null
}

export type SyncResult =
  /** `content` is null if an executor stores it, or after a 304. */
  | { outcome: "changed" | "unchanged"; content: Content | null }
  /**
   * `detail` is logged, so it contains no path and no query of the source. `status`: of the response, if the error is
   * `status`. `responded`: a part of the response had arrived.
   */
  | { outcome: "failed"; error: SyncError; detail: string; status?: number; responded?: boolean }
  | { outcome: "abandoned"; error: SyncError }

export type WindowSettings = {
  windowMs: number
  settleMs: number
  deadlineMs: number
  startGraceMs: number
}

/** How many windows after a failed or lost run the next one is due, by the number of failures in a row. */
export const retryWindows = [1, 2, 4, 8, 15]

/**
 * SQL that stores the sync that a window describes as abandoned. `from`: rows with the columns of sync_window, and conditions.
 * `finishedAt` is SQL, too.
 */
export const insertAbandoned = (row: { error: SyncError; finishedAt: string; from: string }) => `
  insert into sync_run (connection_id, fence, started_at, finished_at, outcome, error, triggers, first_trigger_at,
    last_trigger_at, correlation, traceparents)
  select connection_id, fence, run_started_at, ${row.finishedAt}, 'abandoned', '${row.error}', run_triggers,
    run_first_trigger_at, run_last_trigger_at, run_correlation, run_traceparents
  from ${row.from}`

/** How many contexts a row stores at most. */
const most = 8

/**
 * SQL that joins lists of contexts. A context has 55 characters, and a space separates two. Of too many contexts, the last
 * are dropped. Null if there is none.
 */
export function joinTraceparents(...columns: string[]): string {
  return `nullif(left(concat_ws(' ', ${columns.join(", ")}), ${most * 56 - 1}), '')`
}

/**
 * All syncs, with the columns of sync_run: those that run, which only their windows describe, and those that have ended. Conditions
 * and orders of the columns can use the indexes of both tables.
 */
export const allSyncs = `(
  select connection_id, fence, run_started_at as started_at, null::timestamptz as finished_at, 'running'::sync_outcome as outcome,
    null::text as error, null::smallint as status, run_triggers as triggers, run_first_trigger_at as first_trigger_at,
    run_last_trigger_at as last_trigger_at, null::bigint as bytes, null::bytea as content_sha256
  from sync_window where running and run_started_at is not null
  union all
  select connection_id, fence, started_at, finished_at, outcome, error, status, triggers, first_trigger_at, last_trigger_at,
    bytes, content_sha256
  from sync_run
)`
