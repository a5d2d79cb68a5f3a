import { plainArray } from "../plainArray.ts"
import type { Sql } from "../pool.ts"
import { joinTraceparents } from "./joinTraceparents.ts"

/** All triggers of one connection in a batch. Times are ISO 8601. */
export type CompactedTrigger = {
  connection: string
  count: number
  firstAt: string
  lastAt: string
  correlation: string
  /** Contexts of recorded traces, separated by spaces. */
  traceparents?: string | null
}

/**
 * Adds triggers to the rows of `sync_window`, one row per connection. The scheduler calls this for partners'
 * triggers, and the console if a user requests a sync. `triggers` contains each connection once, because an
 * upsert cannot update a row twice. Unknown connections are skipped.
 *
 * - Rows are locked in the order of their ids, as in `finishRuns`, to avoid deadlocks.
 * - `failures` (in a row) becomes 0, because a trigger announces a change. So if the next sync fails, its
 *   retry is due after one window, as after a first failure.
 * - During a run, `due_at` is the end of the run's lease and does not change here. `finishRuns` sets it
 *   when the run ends. If `requested` (all triggers) then exceeds `claimed` (those before the run), triggers
 *   came during the run, and the connection is due again.
 * - `clock_timestamp()` and not `now()`, which is too early if the upsert waited for a claim's row lock.
 *
 * `dueInMs`: until the first of these connections is due. Null if a sync is running for each of them.
 */
export async function recordTriggers(
  sql: Sql,
  settings: { settleMs: number },
  triggers: readonly CompactedTrigger[],
): Promise<{ recorded: number; dueInMs: number | null }> {
  const [row] = await sql<{ recorded: number; due_in_ms: number | null }>(
    statement,
    [
      triggers.map((trigger) => trigger.connection),
      plainArray(triggers.map((trigger) => trigger.count)),
      plainArray(triggers.map((trigger) => trigger.firstAt)),
      plainArray(triggers.map((trigger) => trigger.lastAt)),
      triggers.map((trigger) => trigger.correlation),
      settings.settleMs,
      triggers.some(({ traceparents }) => traceparents) ? triggers.map((t) => t.traceparents ?? null) : null,
    ],
    "record-triggers",
  )
  return { recorded: row?.recorded ?? 0, dueInMs: row?.due_in_ms ?? null }
}

const statement = `
with recorded as (
  insert into sync_window as w
    (connection_id, requested, due_at, first_trigger_at, last_trigger_at, correlation, traceparents, source_version)
  select t.connection_id, t.count, clock_timestamp() + $6::float8 * interval '1 millisecond',
    t.first_at, t.last_at, t.correlation, t.traceparents, c.source_version
  from unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::text[], $7::text[])
    as t (connection_id, count, first_at, last_at, correlation, traceparents)
  join connection c on c.id = t.connection_id
  order by t.connection_id
  on conflict (connection_id) do update set
    requested = w.requested + excluded.requested,
    first_trigger_at = least(w.first_trigger_at, excluded.first_trigger_at),
    last_trigger_at = greatest(w.last_trigger_at, excluded.last_trigger_at),
    correlation = coalesce(w.correlation, excluded.correlation),
    traceparents = ${joinTraceparents("w.traceparents", "excluded.traceparents")},
    failures = 0,
    due_at = case
      when w.running then w.due_at
      else least(w.due_at, greatest(clock_timestamp() + $6::float8 * interval '1 millisecond', w.window_ends_at))
    end
  returning w.running, w.due_at
)
select count(*)::int as recorded,
  (extract(epoch from min(due_at) filter (where not running) - clock_timestamp()) * 1000)::float8 as due_in_ms
from recorded
`
