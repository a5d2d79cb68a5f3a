import {
  type Columns,
  columnValues,
  createScanStart,
  defineStatement,
  isBadRow,
  type Sql,
  unnestColumns,
} from "@sitewire/database"
import {
  type GrantedRun,
  insertAbandoned,
  joinTraceparents,
  retryWindows,
  type WindowSettings,
} from "./syncRun.ts"

/** How many more syncs may start, and how many of these may be syncs of slow connections. */
export type FreePermits = { all: number; slow: number }

export type ClaimInput = {
  total: FreePermits
  /** Of `total.all`, for syncs that would be their host's first or second in flight. */
  reserved?: number
  /** `isProbe`: the host's circuit breaker is open, so its next sync is a probe: of a slow connection only if no other is due. */
  hosts: readonly { host: string; inFlight: number; free: FreePermits; isProbe: boolean }[]
  otherHost: FreePermits
  /** What was due before (Unix time in ms, by Postgres's clock) and is in no host's queue is not read. */
  scanFromMs?: number
  /** The hosts' queues up to this one are not read: the last claim has read them. Default: all are read. */
  afterQueue?: HostQueue | null
}

/** Each host has a queue, and another one for its slow connections. */
export type HostQueue = { slow: boolean; host: string }

/** A connection whose values make its claim fail. */
export type BadRow = { connection: string; error: unknown }

export type Claim = {
  /** Milliseconds since the claim began. */
  age: () => number
  runs: GrantedRun[]
  badRows: BadRow[]
  /** Due connections got no permit: claim again when a run ends. */
  limited: boolean
  /** The statement reached its limit of rows: claim again at once. */
  more: boolean
  /** Null: no connection will be due, or it was not read. */
  nextDueInMs: number | null
  /** The last queue that was read, if there may be more. */
  lastQueue: HostQueue | null
  /** When the oldest sync that was read was due, or the time of the claim. Unix time in ms, by Postgres's clock. */
  oldestDueMs: number
}

/** From the claim to the request: enough for a name lookup, two lost SYNs and TLS. */
export const startGraceMs = 5_000

/** How long a run may take after its deadline to record its end, before the next claim may close it as lost. */
const leaseMarginMs = 5_000

/**
 * Claims due syncs: grants their starts to this scheduler. A claim locks the row, uses Postgres's clock, and sets a new fence (the
 * number of the start) and `window_ends_at`. So two starts of a connection are at least a window apart, for any number of schedulers
 * with any clocks.
 *
 * - Hosts without free permits are excluded here and not by the caller, because a grant that the caller could not use would use up
 *   a window.
 * - A connection that is due while no permit is free for it moves to its host's queue (`waiting_for_host`). While the host has none,
 *   a claim reads only the first row of that queue, so that a host with thousands of due connections does not hide the others.
 * - Each host has a second queue, for its slow connections. These are last in the index, so that a claim without permits for slow
 *   connections does not read them.
 * - `window_ends_at` includes the start grace, within which a run must send its request. So two requests are
 *   a window apart even if the run's end is never recorded.
 * - `due_at` becomes the end of the run's lease, by which the run must have recorded its end. If its process
 *   has died, the next claim after the lease closes the run as lost, and its triggers join the next run.
 * - Lost runs in a row count as failures, because a source may kill the process that fetches it. The first is
 *   repeated at once, because usually the process was merely killed.
 * - `source_version`: a claim that locks a row after a change of the source was committed reads the new row of
 *   `sync_window`, but possibly the old row of `connection`. In a host's queue it finds no row, because the change ends the waiting.
 * - `snapshot`: likewise, a claim that locks a row after the end of a run could read the content before it, whose validator could make
 *   the next run `unchanged`. So a row whose `running` or `fence` has changed is granted without a validator.
 * - If the values of a row make the statement fail, one connection at a time is claimed instead. A connection that still fails becomes
 *   due one window later.
 * - Row limits are literals, because with parameters the planner may sort the whole table.
 */
export async function claimDueSyncs(
  sql: Sql,
  settings: WindowSettings,
  input: ClaimInput,
  clocks?: Clocks,
): Promise<Claim> {
  const age = startStopwatch(clocks)
  try {
    const rows = await claimDue(sql, { ...grant(settings), ...choice(input) })
    return { age, badRows: [], ...readClaim(rows) }
  } catch (error) {
    if (!isBadRow(error)) throw error
    const one = await claimOneByOne(sql, settings, input)
    const more = one.runs.length + one.badRows.length > 0
    return { age, ...one, limited: true, more, lastQueue: null, nextDueInMs: null, oldestDueMs: 0 }
  }
}

export type Clocks = { monotonic: () => number; wall: () => number }

const systemClocks: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() }

/** Uses the clock that shows more: the monotonic one stops while the machine is suspended, and the wall clock can be set back. */
function startStopwatch({ monotonic, wall }: Clocks = systemClocks): () => number {
  const started = { monotonic: monotonic(), wall: wall() }
  return () => Math.max(monotonic() - started.monotonic, wall() - started.wall)
}

function readClaim(rows: ClaimedRow[]) {
  const [first] = rows
  if (!first) throw new Error("a claim returned no row")
  const { notQueued, candidates, queuedNow, waitingAfterLosses, waiting, ...read } = first.summary
  const runs = rows.flatMap(({ summary: _, ...row }) => (row.connection === null ? [] : [row]))
  const claimed = runs.length + waitingAfterLosses
  return {
    ...read,
    runs,
    limited: waiting || candidates > claimed,
    more: (notQueued === readAtOnce && claimed + queuedNow > 0) || (read.lastQueue !== null && claimed === 0),
  }
}

async function claimOneByOne(sql: Sql, settings: WindowSettings, input: ClaimInput) {
  const runs: GrantedRun[] = []
  const badRows: BadRow[] = []
  for (const { connection_id: connection } of await findDue(sql, choice(input))) {
    try {
      runs.push(...(await claimOne(sql, { ...grant(settings), connection })))
    } catch (error) {
      // Postgres has become unavailable. Return the runs that were granted before, because they must start.
      if (!isBadRow(error) && runs.length > 0) break
      if (!isBadRow(error)) throw error
      badRows.push({ connection, error })
      await sql(deferByAWindow, [connection, settings.windowMs]).catch((error: unknown) => {
        if (runs.length === 0) throw error
      })
    }
  }
  return { runs, badRows }
}

/** Claims with `claim`, and does not read again what the claims before have read. */
export function continueClaims(claim: (input: ClaimInput) => Promise<Claim>) {
  const scanStart = createScanStart()
  let afterQueue: HostQueue | null = null
  return async (input: ClaimInput): Promise<Claim> => {
    const claimed = await claim({ ...input, scanFromMs: scanStart.next(), afterQueue })
    scanStart.found(claimed.oldestDueMs)
    afterQueue = claimed.lastQueue
    return claimed
  }
}

function grant({ windowMs, deadlineMs, startGraceMs }: WindowSettings) {
  return { windowMs: windowMs + startGraceMs, leaseMs: deadlineMs + leaseMarginMs }
}

const hostColumns: Columns<ClaimInput["hosts"][number]> = {
  host: ["text", ({ host }) => host],
  in_flight: ["int", ({ inFlight }) => inFlight],
  free: ["int", ({ free }) => free.all],
  free_slow: ["int", ({ free }) => free.slow],
  is_probe: ["boolean", ({ isProbe }) => isProbe],
}

function choice({ total, reserved = 0, hosts, otherHost, scanFromMs = 0, afterQueue }: ClaimInput) {
  return {
    ...columnValues(hostColumns, hosts),
    otherFree: otherHost.all,
    otherFreeSlow: otherHost.slow,
    total: Math.max(0, total.all),
    reserved,
    totalSlow: Math.max(0, total.slow),
    scanFromMs,
    // Before every host.
    afterSlow: afterQueue?.slow ?? false,
    afterHost: afterQueue?.host ?? "",
  }
}

type Summary = Pick<Claim, "nextDueInMs" | "lastQueue" | "oldestDueMs"> & {
  notQueued: number
  candidates: number
  queuedNow: number
  waitingAfterLosses: number
  waiting: boolean
}

type ClaimedRow = { summary: Summary } & (GrantedRun | { connection: null })

/** The turns of a host that may use the reserved permits. */
const reservedTurns = 2

/** Of the hosts' queues, a statement reads the first row of so many, from the queue after `$afterSlow` and `$afterHost` on. */
export const queuesAtOnce = 2_000

/** A statement locks at most this many rows in the hosts' queues, and as many that are in no queue. */
const readAtOnce = 256

const clock = `clock as materialized (select clock_timestamp() as at)`

const rowColumns = `w.connection_id, w.fence, w.requested, w.covered, w.running, w.due_at, w.waiting_for_host, w.slow,
    w.first_trigger_at, w.last_trigger_at, w.correlation, w.traceparents, w.window_ends_at, w.failures, w.last_error,
    w.run_started_at, w.run_triggers, w.run_first_trigger_at, w.run_last_trigger_at, w.run_correlation, w.run_traceparents,
    w.last_synced_at, w.last_outcome, c.source, c.runner, c.source_host as host`

/**
 * Chooses the connections to grant: of each host in `$host` at most `$free`, of each other host `$otherFree`, and of all hosts `$total`;
 * of slow connections at most `$free_slow`, `$otherFreeSlow` and `$totalSlow`. Hosts take turns: the sync that is its host's first
 * in flight comes before another host's second, and of `$total`, `$reserved` are left to these two.
 */
const choosing = `
known_host as materialized (
  select * from ${unnestColumns(hostColumns)}
),
queue_head as (
  (select 1 as number, slow, waiting_for_host as host, due_at from sync_window
   where waiting_for_host is not null and slow <= ($totalSlow::int > 0)
     and (slow, waiting_for_host) > ($afterSlow::boolean, $afterHost::text)
   order by slow, waiting_for_host, due_at limit 1)
  union all
  select queue_head.number + 1, next.* from queue_head cross join lateral (
    select w.slow, w.waiting_for_host, w.due_at from sync_window w
    where w.waiting_for_host is not null and (w.slow, w.waiting_for_host) > (queue_head.slow, queue_head.host)
      and w.slow <= ($totalSlow::int > 0)
    order by w.slow, w.waiting_for_host, w.due_at limit 1
  ) next
  where queue_head.number < ${queuesAtOnce}
),
with_capacity as materialized (
  select * from (
    select queue_head.slow, queue_head.host, queue_head.due_at, coalesce(known_host.in_flight, 0) as in_flight,
      case when queue_head.slow then coalesce(known_host.free_slow, $otherFreeSlow::int) else coalesce(known_host.free, $otherFree::int) end as free
    from queue_head left join known_host using (host)
  ) as queue
  where free > 0 and due_at <= (select at from clock) order by in_flight, due_at limit least($total::int, ${readAtOnce})
),
from_queues as materialized (
  select queued.* from with_capacity cross join lateral (
    select ${rowColumns}
    from sync_window w
    join connection c on c.id = w.connection_id
    where w.slow = with_capacity.slow and w.waiting_for_host = with_capacity.host
      and w.due_at <= (select at from clock)
    order by w.due_at
    limit least(with_capacity.free, $total::int)
    for update of w skip locked
  ) as queued
  order by with_capacity.in_flight, with_capacity.due_at
  limit ${readAtOnce}
),
not_queued as materialized (
  select ${rowColumns}
  from sync_window w
  join connection c on c.id = w.connection_id and c.source_version = w.source_version
  where w.due_at >= to_timestamp($scanFromMs::float8 / 1000) and w.due_at <= (select at from clock)
    and w.waiting_for_host is null
  order by w.due_at
  limit ${readAtOnce}
  for update of w skip locked
),
candidate as materialized (
  select row.*, coalesce(known_host.free, $otherFree::int) as free, coalesce(known_host.free_slow, $otherFreeSlow::int) as free_slow,
    coalesce(known_host.is_probe, false) as is_probe, coalesce(known_host.in_flight, 0) as in_flight
  from (select * from from_queues union all select * from not_queued) as row left join known_host using (host)
  limit ${2 * readAtOnce}
),
slow_chosen as materialized (
  select connection_id from (
    select connection_id, due_at, free_slow, in_flight,
      row_number() over (partition by host order by due_at, connection_id) as position
    from candidate where slow
  ) as slow
  where position <= free_slow order by in_flight + position, due_at limit $totalSlow::int
),
ranked as (
  select candidate.*,
    row_number() over (partition by host order by is_probe and slow, due_at, connection_id) as position
  from candidate where not slow or connection_id in (select connection_id from slow_chosen)
),
by_turn as (
  select ranked.*, row_number() over (order by in_flight + position, due_at) as number from ranked where position <= free
),
chosen as materialized (
  select * from by_turn where in_flight + position <= ${reservedTurns} or number <= $total::int - $reserved::int
  order by number limit $total::int
)`

const queueing = `
queued_now as (
  update sync_window w set waiting_for_host = candidate.host
  from candidate
  where w.connection_id = candidate.connection_id and candidate.waiting_for_host is distinct from candidate.host
    and candidate.connection_id not in (select connection_id from chosen)
  returning 1
)`

const waitAfterLosses = `(array[${retryWindows}])[least(losses, ${retryWindows.length})] - 1`

/** Grants the connections in `chosen`. `$windowMs` includes the start grace. Until a run ends, only its connection's window describes it. */
const granting = `
recorded_lost as (${insertAbandoned({
  error: "lost",
  finishedAt: "clock.at",
  from: "chosen, clock where chosen.running",
})}
),
ready as materialized (
  select chosen.connection_id, chosen.fence + 1 as fence, chosen.running as was_running,
    chosen.source, chosen.host, chosen.slow, chosen.runner,
    least(chosen.requested - chosen.covered, 2147483647)::int as triggers,
    least(chosen.first_trigger_at, lost.first_trigger_at) as first_trigger_at,
    greatest(chosen.last_trigger_at, lost.last_trigger_at) as last_trigger_at,
    coalesce(lost.correlation, chosen.correlation) as correlation,
    ${joinTraceparents("lost.traceparents", "chosen.traceparents")} as traceparents,
    case when least(chosen.first_trigger_at, lost.first_trigger_at) >= last_synced_at then 'window'
      when last_outcome in ('changed', 'unchanged') then 'during_run'
      when last_outcome = 'failed' then 'after_failure' else 'window' end as waited_for,
    losses, window_ends_at + (${waitAfterLosses}) * $windowMs::float8 * interval '1 millisecond' as retry_at
  from chosen
  left join lateral (
    select run_first_trigger_at as first_trigger_at, run_last_trigger_at as last_trigger_at,
      run_correlation as correlation, run_traceparents as traceparents where running
  ) as lost on true
  cross join lateral (
    select case when not running then 0 when last_error = 'lost' then failures + 1 else 1 end as losses
  ) as counted
),
waiting_after_losses as (
  update sync_window w set
    running = false,
    grant_id = null,
    run_correlation = null,
    run_traceparents = null,
    due_at = ready.retry_at,
    waiting_for_host = null,
    failures = ready.losses,
    last_error = 'lost',
    last_status = null,
    failing_since = coalesce(w.failing_since, clock.at),
    first_trigger_at = ready.first_trigger_at,
    last_trigger_at = ready.last_trigger_at,
    correlation = ready.correlation,
    traceparents = ready.traceparents
  from ready, clock
  where w.connection_id = ready.connection_id and ready.losses > 0 and ready.retry_at > clock.at
  returning 1
),
start as materialized (
  select ready.*, gen_random_uuid() as grant_id from ready, clock
  where ready.losses = 0 or ready.retry_at <= clock.at
),
granted as (
  update sync_window w set
    fence = start.fence,
    grant_id = start.grant_id,
    claimed = w.requested,
    running = true,
    window_ends_at = clock.at + $windowMs::float8 * interval '1 millisecond',
    due_at = clock.at + greatest($windowMs::float8, $leaseMs::float8) * interval '1 millisecond',
    waiting_for_host = null,
    failures = case when start.losses > 0 then start.losses else w.failures end,
    last_error = case when start.losses > 0 then 'lost' else w.last_error end,
    last_status = case when start.losses > 0 then null else w.last_status end,
    run_started_at = clock.at,
    run_triggers = start.triggers,
    run_first_trigger_at = start.first_trigger_at,
    run_last_trigger_at = start.last_trigger_at,
    run_correlation = start.correlation,
    run_traceparents = start.traceparents,
    first_trigger_at = null,
    last_trigger_at = null,
    correlation = null,
    traceparents = null
  from start, clock
  where w.connection_id = start.connection_id
)`

const runColumns = `start.connection_id as connection, c.site, start.fence::float8 as fence, start.grant_id as "grantId", start.runner,
  start.source, start.host, start.slow, clock.at as "startedAt", start.triggers, start.first_trigger_at as "firstTriggerAt",
  start.last_trigger_at as "lastTriggerAt", start.waited_for as "waitedFor", start.correlation,
  coalesce(string_to_array(start.traceparents, ' '), '{}') as traceparents, c.signing_secret_sealed as "signingSecret",
  c.request_headers_sealed as "requestHeaders", snapshot.etag, snapshot.content_sha256 as "contentSha256"`

const runTables = `
left join connection c on c.id = start.connection_id
left join snapshot on snapshot.connection_id = start.connection_id
  and (select (w.running, w.fence + 1) = (start.was_running, start.fence)
    from sync_window w where w.connection_id = start.connection_id)`

const claimDue = defineStatement<ClaimedRow>(
  "claim-due-syncs",
  `
with recursive ${clock}, ${choosing}, ${queueing}, ${granting}
select
  json_build_object(
    'notQueued', (select count(*) from not_queued),
    'candidates', (select count(*) from candidate),
    'queuedNow', (select count(*) from queued_now),
    'waitingAfterLosses', (select count(*) from waiting_after_losses),
    'waiting', exists (select from sync_window where waiting_for_host is not null) or (select count(*) from queued_now) > 0,
    'lastQueue', case when last_queue.number = ${queuesAtOnce}
      then json_build_object('slow', last_queue.slow, 'host', last_queue.host) end,
    'nextDueInMs', extract(epoch from
      (select min(due_at) from sync_window where due_at > (select at from clock) and waiting_for_host is null)
        - clock.at) * 1000,
    'oldestDueMs', extract(epoch from coalesce((select min(due_at) from not_queued), clock.at)) * 1000) as summary,
  ${runColumns}
from clock
left join start on true${runTables}
left join (select * from queue_head order by number desc limit 1) as last_queue on true
`,
)

const findDue = defineStatement<{ connection_id: string }>(
  "find-due-connections",
  `
with recursive ${clock}, ${choosing}
select connection_id from chosen
`,
)

const claimOne = defineStatement<GrantedRun>(
  "claim-connection",
  `
with ${clock},
chosen as materialized (
  select ${rowColumns}
  from sync_window w
  join connection c on c.id = w.connection_id and c.source_version = w.source_version
  where w.connection_id = $connection::text and w.due_at <= (select at from clock)
  for update of w skip locked
), ${granting}
select ${runColumns}
from clock
cross join start${runTables}
`,
)

const deferByAWindow = `
update sync_window
set due_at = clock_timestamp() + $2::float8 * interval '1 millisecond', waiting_for_host = null
where connection_id = $1 and due_at <= clock_timestamp()
`
