import { named, type Sql } from "@sitewire/database"
import { insertAbandoned, joinTraceparents } from "./syncRun.ts"

/**
 * Changes the source of a connection, in a transaction.
 *
 * - A sync that is running fetches the old source. Without its grant id, it can store neither content nor its end. Its triggers join
 *   the next sync.
 * - `window_ends_at` stays: the running sync may already have sent its request.
 * - A claim that began before may still read the old source. It requires equal versions in both rows, so it grants no start.
 * - The window is created if there is none: a trigger that creates it at the same time could give it the old version.
 */
export async function changeSource(
  sql: Sql,
  { id, source, runner }: { id: string; source: string; runner: "pull" | "delegate" },
): Promise<void> {
  await sql(
    ...named(
      "update connection set source = $source, runner = $runner::sync_runner, source_version = source_version + 1 where id = $id",
      { id, source, runner },
    ),
  )
  await createWindow(sql, id)
  await sql("select 1 from sync_window where connection_id = $1 for update", [id])
  await sql(restart, [id])
  await sql("update snapshot set etag = null where connection_id = $1", [id])
}

const restart = `
with discarded as (${insertAbandoned({
  error: "source-changed",
  finishedAt: "clock_timestamp()",
  from: "sync_window where connection_id = $1 and running",
})}
  returning first_trigger_at, last_trigger_at, correlation, traceparents
)
update sync_window w set
  source_version = c.source_version,
  running = false,
  grant_id = null,
  run_correlation = null,
  run_traceparents = null,
  due_at = case when w.requested > w.covered then greatest(clock_timestamp(), w.window_ends_at) end,
  waiting_for_host = null,
  failures = 0,
  last_error = null,
  last_status = null,
  failing_since = null,
  slow = false,
  first_trigger_at = least(w.first_trigger_at, discarded.first_trigger_at),
  last_trigger_at = greatest(w.last_trigger_at, discarded.last_trigger_at),
  correlation = coalesce(discarded.correlation, w.correlation),
  traceparents = ${joinTraceparents("discarded.traceparents", "w.traceparents")}
from connection c left join discarded on true
where w.connection_id = $1 and c.id = $1
`

/** Creates the window of a connection, if it has none: the row with the schedule of its syncs. */
export async function createWindow(sql: Sql, connection: string): Promise<void> {
  await sql(
    `insert into sync_window (connection_id, source_version) select id, source_version from connection where id = $1
     on conflict do nothing`,
    [connection],
  )
}
