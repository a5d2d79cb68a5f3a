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
