import type { ConnectorTriggered } from "@sitewire/contracts"
import {
  type Columns,
  columnValues,
  defineStatement,
  type Sql,
  unnestColumns,
  wasLocked,
} from "@sitewire/database"
import { joinTraceparents } from "./syncRun.ts"

/** All triggers of one connection in a batch. `traceparents`: contexts of recorded traces, separated by spaces. */
export type CompactedTrigger = ConnectorTriggered & { traceparents?: string | null }

/**
 * Adds partners' triggers, and syncs that a user requests, to the rows of `sync_window`. `triggers` contains each connection once,
 * because an upsert cannot update a row twice. Unknown connections are skipped.
 *
 * - Rows are locked in the order of their ids, to avoid deadlocks.
 * - `failures` (in a row) becomes 0, because a trigger announces a change. With `keepLosses`, this does not hold after lost runs: a
 *   source that kills schedulers would do so in each window in which it is triggered.
 * - During a run, `due_at` is the end of the run's lease. If `requested` exceeds `claimed` at the run's end, `finishRuns` makes the
 *   connection due again.
 * - `clock_timestamp()` and not `now()`, which is too early if the upsert waited for a claim's row lock.
 *
 * `lockWaitMs`: how long to wait for a locked row, before the triggers of all other connections are recorded. Default: until the
 * statement timeout.
 *
 * `dueInMs`: until the first of these connections is due. Null: a sync is running for each. `locked`: connections whose triggers were not
 * recorded.
 */
export async function recordTriggers(
  sql: Sql,
  {
    settleMs,
    lockWaitMs,
    keepLosses = false,
  }: { settleMs: number; lockWaitMs?: number; keepLosses?: boolean },
  triggers: readonly CompactedTrigger[],
): Promise<{ recorded: number; dueInMs: number | null; locked: string[] }> {
  const values = { ...columnValues(columns, triggers), settleMs, keepLosses }
  if (lockWaitMs !== 0) {
    try {
      const lockWait = lockWaitMs === undefined ? null : String(lockWaitMs)
      return readResult(await recordAll(sql, { ...values, lockWait }))
    } catch (error) {
      if (lockWaitMs === undefined || !wasLocked(error)) throw error
    }
  }
  return readResult(await recordUnlocked(sql, values))
}

const columns: Columns<CompactedTrigger> = {
  connection_id: ["text", ({ connection }) => connection],
  count: ["bigint", ({ count }) => count],
  first_at: ["timestamptz", (trigger) => trigger.first_at],
  last_at: ["timestamptz", (trigger) => trigger.last_at],
  correlation: ["text", ({ correlation }) => correlation],
  traceparents: ["text", ({ traceparents }) => traceparents ?? null],
}

type ResultRow = { recorded: number; due_in_ms: number | null; locked: string[] | null }

function readResult([row]: ResultRow[]) {
  return { recorded: row?.recorded ?? 0, dueInMs: row?.due_in_ms ?? null, locked: row?.locked ?? [] }
}

const waitsAfterLosses = "($keepLosses::boolean and w.last_error = 'lost' and w.due_at is not null)"

const upsert = (rows: string) => `
  insert into sync_window as w
    (connection_id, requested, due_at, first_trigger_at, last_trigger_at, correlation, traceparents, source_version)
  select t.connection_id, t.count, clock_timestamp() + $settleMs::float8 * interval '1 millisecond',
    t.first_at, t.last_at, t.correlation, t.traceparents, t.source_version
  from ${rows}
  order by t.connection_id
  on conflict (connection_id) do update set
    requested = w.requested + excluded.requested,
    first_trigger_at = least(w.first_trigger_at, excluded.first_trigger_at),
    last_trigger_at = greatest(w.last_trigger_at, excluded.last_trigger_at),
    correlation = coalesce(w.correlation, excluded.correlation),
    traceparents = ${joinTraceparents("w.traceparents", "excluded.traceparents")},
    failures = case when ${waitsAfterLosses} then w.failures else 0 end,
    due_at = case
      when w.running or ${waitsAfterLosses} then w.due_at
      else least(w.due_at, greatest(clock_timestamp() + $settleMs::float8 * interval '1 millisecond', w.window_ends_at))
    end
  returning w.connection_id, w.running, w.due_at`

const known = `select t.*, c.source_version from ${unnestColumns(columns)} join connection c on c.id = t.connection_id`

const counts = `count(*)::int as recorded,
  (extract(epoch from min(due_at) filter (where not running) - clock_timestamp()) * 1000)::float8 as due_in_ms`

/** The sort makes Postgres set the limit before it locks the first row. */
const recordAll = defineStatement<ResultRow>(
  "record-triggers",
  `
with lock_limit as materialized (
  select set_config('lock_timeout', coalesce($lockWait::text, current_setting('lock_timeout')), true)
),
recorded as (${upsert(`(${known}) as t cross join lock_limit`)}
)
select ${counts}, null as locked from recorded
`,
)

/**
 * Locking before the upsert makes it slower by 40 % than the statement above, so it is not the only one. A connection
 * without a window is locked itself, because its deletion would make the insert wait.
 */
const recordUnlocked = defineStatement<ResultRow>(
  "record-unlocked-triggers",
  `
with known as materialized (${known}),
windows as materialized (
  select w.connection_id from sync_window w join known using (connection_id)
  for no key update of w skip locked
),
without_window as materialized (
  select c.id as connection_id from connection c join known on known.connection_id = c.id
  where not exists (select from sync_window w where w.connection_id = c.id)
  for key share of c skip locked
),
recorded as (${upsert(`known t join (select * from windows union all select * from without_window) as unlocked using (connection_id)`)}
)
select ${counts},
  (select array_agg(connection_id) from known
   where connection_id not in (select connection_id from recorded)) as locked
from recorded
`,
)
