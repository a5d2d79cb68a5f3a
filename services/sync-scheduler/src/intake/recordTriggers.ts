import { plainArray, type Sql } from "@sitewire/database"
import type { CompactedTrigger } from "./compactTriggers.ts"

/**
 * Adds accepted triggers to their connections' windows, one statement for a whole batch. `triggers` holds each
 * connection once: an upsert cannot touch a row twice.
 *
 * - The join drops connections that do not exist, and makes the window of one that has none yet.
 * - Rows are locked in the order of their ids, as in `finishRuns`, so that two batches cannot wait for each other.
 * - `failures` starts over: whoever triggers says that something changed, so the distance between retries shrinks
 *   to one window again, for a sync that is running as well.
 * - While a sync runs, `due_at` is its lease and stays; the finish sees that `requested` went ahead of `claimed`.
 * - The clock is read in the expressions, not before: an upsert can wait for a claim's lock, and `due_at` must count
 *   from after it.
 *
 * `dueInMs`: until the first of them is due, by Postgres's clock; null where all of them wait for a running sync.
 */
export async function raiseTriggers(
  sql: Sql,
  settings: { settleMs: number },
  triggers: readonly CompactedTrigger[],
): Promise<{ raised: number; dueInMs: number | null }> {
  const [row] = await sql<{ raised: number; due_in_ms: number | null }>(
    raise,
    [
      triggers.map((trigger) => trigger.connection),
      plainArray(triggers.map((trigger) => trigger.count)),
      plainArray(triggers.map((trigger) => trigger.firstAt)),
      plainArray(triggers.map((trigger) => trigger.lastAt)),
      triggers.map((trigger) => trigger.correlation),
      settings.settleMs,
    ],
    "raise-triggers",
  )
  return { raised: row?.raised ?? 0, dueInMs: row?.due_in_ms ?? null }
}

const raise = `
with raised as (
  insert into sync_window as w
    (connection_id, requested, due_at, first_trigger_at, last_trigger_at, correlation)
  select t.connection_id, t.count, clock_timestamp() + $6::float8 * interval '1 millisecond',
    t.first_at, t.last_at, t.correlation
  from unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::timestamptz[], $5::text[])
    as t (connection_id, count, first_at, last_at, correlation)
  join connection c on c.id = t.connection_id
  order by t.connection_id
  on conflict (connection_id) do update set
    requested = w.requested + excluded.requested,
    first_trigger_at = least(w.first_trigger_at, excluded.first_trigger_at),
    last_trigger_at = greatest(w.last_trigger_at, excluded.last_trigger_at),
    correlation = coalesce(w.correlation, excluded.correlation),
    failures = 0,
    due_at = case
      when w.running then w.due_at
      else least(w.due_at, greatest(clock_timestamp() + $6::float8 * interval '1 millisecond', w.window_ends_at))
    end
  returning w.running, w.due_at
)
select count(*)::int as raised,
  (extract(epoch from min(due_at) filter (where not running) - clock_timestamp()) * 1000)::float8 as due_in_ms
from raised
`

/** A value that the columns cannot hold (SQLSTATE class 22): the same batch fails whenever it is tried. */
export function isRefused(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("22")
}
