import type { SyncError } from "@sitewire/contracts"

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
