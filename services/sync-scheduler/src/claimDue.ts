import type { Sql } from "@sitewire/database"
import type { Places } from "./places.ts"
import type { GrantedRun, WindowSettings } from "./sync.ts"

export type ClaimInput = {
  /** Starts asked for, at most. */
  total: Places
  /** Starts that one host may still get; hosts that are not named get `perHost`. */
  free: ReadonlyMap<string, Places>
  perHost: Places
}

export type Claim = {
  /** By the monotonic clock, before Postgres was asked: not later than its own reading of the clock. */
  askedAt: number
  runs: GrantedRun[]
  /** Due connections were passed over because of the bounds: ask again when a run has ended. */
  limited: boolean
  /** As many were looked at as one statement looks at: there may be others behind them, so ask again at once. */
  more: boolean
  /** Until the next one is due, by Postgres's clock; null if none waits. */
  nextDueInMs: number | null
}

/**
 * How long after its deadline a run counts as lost. It ends itself at the deadline; this is for recording the end.
 */
const leaseMarginMs = 5_000

/** Rows looked at, and locked for the length of the statement, at most. */
const lookedAt = 256

/**
 * Grants starts. Everything that keeps two starts of one connection a window apart is in this one statement: the
 * lock (`for update skip locked`), the clock (Postgres's own), and the new `not_before` and fence. So it holds for
 * any number of schedulers, whatever Kafka does with their partitions and whatever their own clocks say.
 *
 * - `skip locked`: schedulers that claim at the same moment share the due rows out instead of queueing for them. A
 *   row that was claimed in between is checked again in its newest version, whose `due_at` has moved on.
 * - A host that has no free place is left out by the statement and not by the caller: a grant opens a window and
 *   spends a fence, so nothing is granted that cannot start at once. What waits for its host waits in Postgres, where
 *   every other scheduler may take it. `place` numbers the due rows of each host, so that one batch cannot overfill
 *   a host either.
 * - Connections whose last run hung get no more than their share, in total and of each host. Where the share is taken,
 *   they are left out as hosts without places are, so that those behind them are seen.
 * - `not_before` is a window and the start grace away: whoever is granted the start must send within the grace or
 *   give it back, so two requests are a window apart even if we never hear of this run again. A run that ends says
 *   when it really sent, and `finishRuns` sets the exact time.
 * - `due_at` becomes the lease, and never comes before `not_before`: a run whose process died is due again by itself.
 *   Its row is closed as abandoned here, and what it was to cover joins the new run.
 * - The number of rows looked at stands in the text, because the planner must know that it is small: with a
 *   parameter, it may choose to join and sort all windows instead of walking the index.
 */
export async function claimDue(
  sql: Sql,
  { windowMs, deadlineMs, startGraceMs }: WindowSettings,
  { total, free, perHost }: ClaimInput,
): Promise<Claim> {
  const full = [...free].filter(([, places]) => places.all <= 0).map(([host]) => host)
  const some = [...free].filter(([, places]) => places.all > 0)
  const fullOfHung = some.filter(([, places]) => places.hung <= 0).map(([host]) => host)
  const askedAt = performance.now()
  const rows = await sql<ClaimRow>(
    claim,
    [
      full,
      some.map(([host]) => host),
      some.map(([, places]) => places.all),
      perHost.all,
      total.all,
      windowMs + startGraceMs,
      deadlineMs + leaseMarginMs,
      fullOfHung,
      some.map(([, places]) => places.hung),
      perHost.hung,
      Math.max(0, total.hung),
    ],
    "claim-due",
  )
  const [first] = rows
  const runs = rows.flatMap(readRun)
  const seen = first?.seen ?? 0
  return {
    askedAt,
    runs,
    limited: full.length > 0 || fullOfHung.length > 0 || total.hung <= 0 || seen > runs.length,
    more: seen === lookedAt && runs.length > 0,
    nextDueInMs: first?.next_due_in_ms ?? null,
  }
}

type ClaimRow = {
  seen: number
  next_due_in_ms: number | null
  connection_id: string | null
  fence: string
  runner: "pull" | "delegate"
  source: string
  host: string
  hung: boolean
  started_at: Date
  triggers: number
  first_trigger_at: Date | null
  last_trigger_at: Date | null
  correlation: string | null
  etag: string | null
  last_modified: string | null
  content_sha256: Buffer | null
}

/** Without a grant there is still one row, which tells when to ask again. */
function readRun(row: ClaimRow): GrantedRun[] {
  if (row.connection_id === null) return []
  const { etag, last_modified: lastModified, content_sha256: contentSha256 } = row
  const run: GrantedRun = {
    connection: row.connection_id,
    fence: Number(row.fence),
    runner: row.runner,
    source: row.source,
    host: row.host,
    hung: row.hung,
    startedAt: row.started_at,
    triggers: row.triggers,
    firstTriggerAt: row.first_trigger_at,
    lastTriggerAt: row.last_trigger_at,
    correlation: row.correlation,
    snapshot: contentSha256 === null ? null : { etag, lastModified, contentSha256 },
  }
  return [run]
}

// Host and port, without the user information that may stand before them.
const hostOfSource = `lower(coalesce(substring(c.source from '^[^:]+://(?:[^/?#]*@)?([^/?#]*)'), ''))`

// A run that failed at once holds no place, so only these are kept to a share.
const hung = `coalesce(w.last_error in ('timeout', 'late-start'), false)`

const claim = `
with clock as materialized (select clock_timestamp() as at),
busy as materialized (select * from unnest($2::text[], $3::int[], $9::int[]) as b (host, free, free_of_hung)),
seen as materialized (
  select w.connection_id, w.fence, w.requested, w.covered, w.running, w.due_at,
    w.first_trigger_at, w.last_trigger_at, w.correlation, c.source, c.runner, ${hostOfSource} as host,
    ${hung} as hung
  from sync_window w
  join connection c on c.id = w.connection_id
  where w.due_at <= (select at from clock) and ${hostOfSource} <> all ($1::text[])
    and not (${hung} and ($11::int = 0 or ${hostOfSource} = any ($8::text[])))
  order by w.due_at
  limit ${lookedAt}
  for update of w skip locked
),
share as materialized (
  select connection_id from (
    select seen.connection_id, seen.due_at, coalesce(busy.free_of_hung, $10::int) as free,
      row_number() over (partition by seen.host order by seen.due_at, seen.connection_id) as place
    from seen left join busy on busy.host = seen.host
    where seen.hung
  ) as hung
  where place <= free order by due_at limit $11::int
),
placed as (
  select seen.*, coalesce(busy.free, $4::int) as free,
    row_number() over (partition by seen.host order by seen.due_at, seen.connection_id) as place
  from seen left join busy on busy.host = seen.host
  where not seen.hung or seen.connection_id in (select connection_id from share)
),
chosen as materialized (
  select * from placed where place <= free order by due_at limit $5::int
),
lost as (
  update sync_run r set outcome = 'abandoned', error = 'lost', finished_at = clock.at
  from chosen, clock
  where chosen.running and r.connection_id = chosen.connection_id and r.fence = chosen.fence
    and r.outcome = 'running'
  returning r.connection_id, r.first_trigger_at, r.last_trigger_at, r.correlation
),
start as materialized (
  select chosen.connection_id, chosen.fence + 1 as fence, chosen.source, chosen.host, chosen.hung, chosen.runner,
    least(chosen.requested - chosen.covered, 2147483647)::int as triggers,
    least(chosen.first_trigger_at, lost.first_trigger_at) as first_trigger_at,
    greatest(chosen.last_trigger_at, lost.last_trigger_at) as last_trigger_at,
    coalesce(lost.correlation, chosen.correlation) as correlation
  from chosen left join lost using (connection_id)
),
granted as (
  update sync_window w set
    fence = start.fence,
    claimed = w.requested,
    running = true,
    not_before = clock.at + $6::float8 * interval '1 millisecond',
    due_at = clock.at + greatest($6::float8, $7::float8) * interval '1 millisecond',
    first_trigger_at = null,
    last_trigger_at = null,
    correlation = null
  from start, clock
  where w.connection_id = start.connection_id
),
recorded as (
  insert into sync_run
    (connection_id, fence, started_at, triggers, first_trigger_at, last_trigger_at, correlation)
  select start.connection_id, start.fence, clock.at, start.triggers,
    start.first_trigger_at, start.last_trigger_at, start.correlation
  from start, clock
)
select
  (select count(*) from seen)::int as seen,
  (extract(epoch from
    (select min(due_at) from sync_window where due_at > (select at from clock)) - clock.at) * 1000)::float8
    as next_due_in_ms,
  start.connection_id, start.fence, start.runner, start.source, start.host, start.hung, clock.at as started_at,
  start.triggers, start.first_trigger_at, start.last_trigger_at, start.correlation,
  snapshot.etag, snapshot.last_modified, snapshot.content_sha256
from clock
left join start on true
left join snapshot on snapshot.connection_id = start.connection_id
`
