import type { Sql } from "@sitewire/database"
import { type Clocks, startStopwatch } from "./stopwatch.ts"
import type { GrantedRun, WindowSettings } from "../syncRun.ts"

/** Permits that are free, and how many of them a slow connection may get. */
export type Free = { all: number; slow: number }

export type ClaimInput = {
  /** Of this process. */
  total: Free
  /** `isProbe`: the host's circuit breaker is open, so a connection that is not slow is preferred. */
  hosts: readonly { host: string; free: Free; isProbe: boolean }[]
  /** Of each host that is not in `hosts`. */
  otherHost: Free
}

export type Claim = {
  /** Milliseconds since Postgres was asked, which is not later than its own reading of the clock. */
  age: () => number
  runs: GrantedRun[]
  /** Due connections wait for permits: claim again when a run has ended. */
  limited: boolean
  /** As many were read as one statement reads: there may be others behind them, so claim again at once. */
  more: boolean
  /** Until the next one is due, by Postgres's clock; null if none is scheduled. */
  nextDueInMs: number | null
}

/**
 * How long after its deadline a run counts as lost. It ends itself at the deadline; this is for recording the end.
 */
const leaseMarginMs = 5_000

/** Rows that one statement reads and locks, at most, of those that wait for no host. */
const readAtOnce = 256

/**
 * Grants starts. Everything that keeps two starts of one connection a window apart is in this one statement: the
 * lock (`for update skip locked`), the clock (Postgres's own), and the new `window_ends_at` and fence. So it holds for
 * any number of schedulers, whatever Kafka does with their partitions and whatever their own clocks say.
 *
 * - `skip locked`: schedulers that claim at the same moment share the due rows out instead of queueing for them. A
 *   row that was claimed in between is checked again in its newest version, whose `due_at` has moved on.
 * - A host that has no capacity is left out by the statement and not by the caller: a grant opens a window and
 *   spends a fence, so nothing is granted that cannot start at once. What waits for its host waits in Postgres, where
 *   every other scheduler may claim it.
 * - A row that is due while its host has no capacity moves to the host's queue (`waiting_for_host`), an index of its
 *   own, which `head` walks from host to host. So tens of thousands of due rows of a full host are read once, and
 *   a claim costs no more for them. While the total is exhausted nothing moves: that says nothing about the host.
 * - Slow connections get no more than their share, in total and of each host. Their queues are at the end of the
 *   index, where the walk stops if the total has no permit for them.
 * - `window_ends_at` is a window and the start grace ahead: whoever is granted the start must send within the grace or
 *   give it back, so two requests are a window apart even if we never hear of this run again. A run that ends says
 *   when it really sent, and `finishRuns` sets the exact time.
 * - `due_at` becomes the lease, and never comes before `window_ends_at`: a run whose process died is due again by itself.
 *   Its row is closed as abandoned here, and what it was to cover joins the new run.
 * - The numbers of rows stand in the text, because the planner must know that they are small: with a parameter, it
 *   may choose to join and sort all windows instead of walking the index.
 */
export async function claimDue(
  sql: Sql,
  settings: WindowSettings,
  input: ClaimInput,
  clocks?: Clocks,
): Promise<Claim> {
  const age = startStopwatch(clocks)
  const rows = await sql<ClaimRow>(claim, [...grantValues(settings), ...choiceValues(input)], "claim-due")
  const [first] = rows
  const runs = rows.flatMap(readRun)
  const { fresh = 0, seen = 0, moved = 0, waiting = false } = first ?? {}
  return {
    age,
    runs,
    limited: waiting || seen > runs.length,
    more: fresh === readAtOnce && runs.length + moved > 0,
    nextDueInMs: first?.next_due_in_ms ?? null,
  }
}

/** The connections that `claimDue` would grant now; nothing is written. */
export async function chooseDue(sql: Sql, input: ClaimInput): Promise<string[]> {
  const rows = await sql<{ connection_id: string }>(chosenOnly, choiceValues(input), "choose-due")
  return rows.map(({ connection_id }) => connection_id)
}

/** Grants one connection's start, as `claimDue` does, if it is still due. */
export async function claimConnection(
  sql: Sql,
  settings: WindowSettings,
  connection: string,
): Promise<GrantedRun[]> {
  const rows = await sql<ClaimRow>(claimOne, [...grantValues(settings), connection], "claim-connection")
  return rows.flatMap(readRun)
}

function grantValues({ windowMs, deadlineMs, startGraceMs }: WindowSettings): unknown[] {
  return [windowMs + startGraceMs, deadlineMs + leaseMarginMs]
}

function choiceValues({ total, hosts, otherHost }: ClaimInput): unknown[] {
  return [
    hosts.map(({ host }) => host),
    hosts.map(({ free }) => free.all),
    hosts.map(({ free }) => free.slow),
    hosts.map(({ isProbe }) => isProbe),
    otherHost.all,
    otherHost.slow,
    total.all,
    Math.max(0, total.slow),
  ]
}

type ClaimRow = {
  fresh: number
  seen: number
  moved: number
  waiting: boolean
  next_due_in_ms: number | null
  connection_id: string | null
  fence: string
  grant_id: string
  runner: "pull" | "delegate"
  source: string
  host: string
  slow: boolean
  started_at: Date
  triggers: number
  first_trigger_at: Date | null
  last_trigger_at: Date | null
  correlation: string | null
  etag: string | null
  last_modified: string | null
  content_sha256: Buffer | null
}

/** Without a grant there is still one row, which tells when to claim again. */
function readRun(row: ClaimRow): GrantedRun[] {
  if (row.connection_id === null) return []
  const { etag, last_modified: lastModified, content_sha256: contentSha256 } = row
  const run: GrantedRun = {
    connection: row.connection_id,
    fence: Number(row.fence),
    grantId: row.grant_id,
    runner: row.runner,
    source: row.source,
    host: row.host,
    slow: row.slow,
    startedAt: row.started_at,
    triggers: row.triggers,
    firstTriggerAt: row.first_trigger_at,
    lastTriggerAt: row.last_trigger_at,
    correlation: row.correlation,
    snapshot: contentSha256 === null ? null : { etag, lastModified, contentSha256 },
  }
  return [run]
}

const clock = `clock as materialized (select clock_timestamp() as at)`

const rowColumns = `w.connection_id, w.fence, w.requested, w.covered, w.running, w.due_at, w.waiting_for_host, w.slow,
    w.first_trigger_at, w.last_trigger_at, w.correlation, c.source, c.runner, c.source_host as host`

/** Parameters from `at` on: those of `choiceValues`. */
const choosing = (at: number) => {
  const [hosts, free, freeSlow, isProbe, otherFree, otherSlow, total, totalSlow] = [
    `$${at}::text[]`,
    `$${at + 1}::int[]`,
    `$${at + 2}::int[]`,
    `$${at + 3}::boolean[]`,
    `$${at + 4}::int`,
    `$${at + 5}::int`,
    `$${at + 6}::int`,
    `$${at + 7}::int`,
  ]
  return `
named as materialized (
  select * from unnest(${hosts}, ${free}, ${freeSlow}, ${isProbe}) as h (host, free, free_slow, is_probe)
),
head as (
  (select slow, waiting_for_host as host, due_at from sync_window
   where waiting_for_host is not null and slow <= (${totalSlow} > 0)
   order by slow, waiting_for_host, due_at limit 1)
  union all
  select next.* from head cross join lateral (
    select w.slow, w.waiting_for_host, w.due_at from sync_window w
    where w.waiting_for_host is not null and (w.slow, w.waiting_for_host) > (head.slow, head.host)
      and w.slow <= (${totalSlow} > 0)
    order by w.slow, w.waiting_for_host, w.due_at limit 1
  ) next
),
with_capacity as materialized (
  select * from (
    select head.slow, head.host, head.due_at,
      case when head.slow then coalesce(named.free_slow, ${otherSlow}) else coalesce(named.free, ${otherFree}) end as free
    from head left join named using (host)
  ) as queue
  where free > 0 and due_at <= (select at from clock) order by due_at limit least(${total}, ${readAtOnce})
),
waited as materialized (
  select queued.* from with_capacity cross join lateral (
    select ${rowColumns}
    from sync_window w
    join connection c on c.id = w.connection_id
    where w.slow = with_capacity.slow and w.waiting_for_host = with_capacity.host
      and w.due_at <= (select at from clock)
    order by w.due_at
    limit least(with_capacity.free, ${total})
    for update of w skip locked
  ) as queued
  limit ${readAtOnce}
),
fresh as materialized (
  select ${rowColumns}
  from sync_window w
  join connection c on c.id = w.connection_id
  where w.due_at <= (select at from clock) and w.waiting_for_host is null
  order by w.due_at
  limit ${readAtOnce}
  for update of w skip locked
),
seen as materialized (
  select row.*, coalesce(named.free, ${otherFree}) as free, coalesce(named.free_slow, ${otherSlow}) as free_slow,
    coalesce(named.is_probe, false) as is_probe
  from (select * from waited union all select * from fresh) as row left join named using (host)
  limit ${2 * readAtOnce}
),
share as materialized (
  select connection_id from (
    select connection_id, due_at, free_slow,
      row_number() over (partition by host order by due_at, connection_id) as position
    from seen where slow
  ) as slow
  where position <= free_slow order by due_at limit ${totalSlow}
),
ranked as (
  select seen.*,
    row_number() over (partition by host order by is_probe and slow, due_at, connection_id) as position
  from seen where not slow or connection_id in (select connection_id from share)
),
chosen as materialized (
  select * from ranked where position <= free order by due_at limit ${total}
)`
}

/** After `choosing(3)`, whose seventh parameter is the total. */
const moving = `
moved as (
  update sync_window w set waiting_for_host = seen.host
  from seen
  where w.connection_id = seen.connection_id and seen.waiting_for_host is distinct from seen.host
    and (select count(*) from chosen) < $9::int
    and seen.connection_id not in (select connection_id from chosen)
  returning 1
)`

/** Grants what is in `chosen`. $1 and $2: those of `grantValues`. */
const granting = (ifRecorded: string) => `
lost as (
  update sync_run r set outcome = 'abandoned', error = 'lost', finished_at = clock.at
  from chosen, clock
  where chosen.running and r.connection_id = chosen.connection_id and r.fence = chosen.fence
    and r.outcome = 'running'
  returning r.connection_id, r.first_trigger_at, r.last_trigger_at, r.correlation
),
start as materialized (
  select chosen.connection_id, chosen.fence + 1 as fence, gen_random_uuid() as grant_id,
    chosen.source, chosen.host, chosen.slow, chosen.runner,
    least(chosen.requested - chosen.covered, 2147483647)::int as triggers,
    least(chosen.first_trigger_at, lost.first_trigger_at) as first_trigger_at,
    greatest(chosen.last_trigger_at, lost.last_trigger_at) as last_trigger_at,
    coalesce(lost.correlation, chosen.correlation) as correlation
  from chosen left join lost using (connection_id)
),
granted as (
  update sync_window w set
    fence = start.fence,
    grant_id = start.grant_id,
    claimed = w.requested,
    running = true,
    window_ends_at = clock.at + $1::float8 * interval '1 millisecond',
    due_at = clock.at + greatest($1::float8, $2::float8) * interval '1 millisecond',
    waiting_for_host = null,
    first_trigger_at = null,
    last_trigger_at = null,
    correlation = null
  from start, clock
  where w.connection_id = start.connection_id
),
recorded as (
  insert into sync_run
    (connection_id, fence, grant_id, started_at, triggers, first_trigger_at, last_trigger_at, correlation)
  select start.connection_id, start.fence, start.grant_id, clock.at, start.triggers,
    start.first_trigger_at, start.last_trigger_at, start.correlation
  from start, clock
  ${ifRecorded}
)`

/**
 * A row of `sync_run` with the new fence can only be left of a deleted connection, where the trigger was disabled.
 * Only `claimConnection` overwrites it, because looking for it costs every insert.
 */
const overwrite = `on conflict (connection_id, fence) do update set
    grant_id = excluded.grant_id, started_at = excluded.started_at, finished_at = null, outcome = 'running',
    error = null, triggers = excluded.triggers, first_trigger_at = excluded.first_trigger_at,
    last_trigger_at = excluded.last_trigger_at, correlation = excluded.correlation, bytes = null,
    content_sha256 = null`

const runColumns = `start.connection_id, start.fence, start.grant_id, start.runner, start.source, start.host,
  start.slow, clock.at as started_at, start.triggers, start.first_trigger_at, start.last_trigger_at,
  start.correlation, snapshot.etag, snapshot.last_modified, snapshot.content_sha256`

const claim = `
with recursive ${clock}, ${choosing(3)}, ${moving}, ${granting("")}
select
  (select count(*) from fresh)::int as fresh,
  (select count(*) from seen)::int as seen,
  (select count(*) from moved)::int as moved,
  exists (select from sync_window where waiting_for_host is not null)
    or (select count(*) from moved) > 0 as waiting,
  (extract(epoch from
    (select min(due_at) from sync_window where due_at > (select at from clock) and waiting_for_host is null)
      - clock.at) * 1000)::float8 as next_due_in_ms,
  ${runColumns}
from clock
left join start on true
left join snapshot on snapshot.connection_id = start.connection_id
`

const chosenOnly = `
with recursive ${clock}, ${choosing(1)}
select connection_id from chosen
`

const claimOne = `
with ${clock},
chosen as materialized (
  select ${rowColumns}
  from sync_window w
  join connection c on c.id = w.connection_id
  where w.connection_id = $3::text and w.due_at <= (select at from clock)
  for update of w skip locked
), ${granting(overwrite)}
select ${runColumns}
from clock
cross join start
left join snapshot on snapshot.connection_id = start.connection_id
`
