import type { Sql } from "@sitewire/database"
import type { GrantedRun, WindowSettings } from "../syncRun.ts"
import {
  claimConnectionStatement,
  claimDueStatement,
  findDueStatement,
  readAtOnce,
} from "./claimStatements.ts"
import { type Clocks, startStopwatch } from "./stopwatch.ts"

/**
 * How many more syncs may start (`all`), and how many of these may be syncs of slow connections. A connection
 * is slow if its last run took long or ran into a time limit.
 */
export type FreePermits = { all: number; slow: number }

export type ClaimInput = {
  total: FreePermits
  /**
   * `isProbe`: the host's circuit breaker is open, so its next sync is a probe. A slow connection is chosen
   * for the probe only if no other connection of the host is due.
   */
  hosts: readonly { host: string; free: FreePermits; isProbe: boolean }[]
  otherHost: FreePermits
}

export type Claim = {
  age: () => number
  runs: GrantedRun[]
  /** Due connections were not granted, for lack of permits: claim again when a run ends. */
  limited: boolean
  /** The statement reached its limit of rows: claim again at once. */
  more: boolean
  /** Until the earliest `due_at` in the future. Null if there is none or it was not read. */
  nextDueInMs: number | null
}

/**
 * How long a run may take after its deadline to record its end. Then its lease is over, and the next claim
 * may close the run as lost.
 */
const leaseMarginMs = 5_000

export async function claimDueSyncs(
  sql: Sql,
  settings: WindowSettings,
  input: ClaimInput,
  clocks?: Clocks,
): Promise<Claim> {
  const age = startStopwatch(clocks)
  const rows = await sql<ClaimRow>(
    claimDueStatement,
    [...grantValues(settings), ...choiceValues(input)],
    "claim-due-syncs",
  )
  const [first] = rows
  const runs = rows.flatMap(readRun)
  const { not_queued = 0, candidates = 0, queued_now = 0, waiting = false } = first ?? {}
  const claimed = runs.length + (first?.waiting_after_losses ?? 0)
  return {
    age,
    runs,
    limited: waiting || candidates > claimed,
    more: not_queued === readAtOnce && claimed + queued_now > 0,
    nextDueInMs: first?.next_due_in_ms ?? null,
  }
}

/** The connections that `claimDueSyncs` would grant now. Writes nothing. */
export async function findDueConnections(sql: Sql, input: ClaimInput): Promise<string[]> {
  const rows = await sql<{ connection_id: string }>(
    findDueStatement,
    choiceValues(input),
    "find-due-connections",
  )
  return rows.map(({ connection_id }) => connection_id)
}

export async function claimConnection(
  sql: Sql,
  settings: WindowSettings,
  connection: string,
): Promise<GrantedRun[]> {
  const rows = await sql<ClaimRow>(
    claimConnectionStatement,
    [...grantValues(settings), connection],
    "claim-connection",
  )
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
  not_queued: number
  candidates: number
  queued_now: number
  waiting_after_losses: number
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
  traceparents: string | null
  etag: string | null
  last_modified: string | null
  content_sha256: Buffer | null
}

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
    traceparents: row.traceparents?.split(" ") ?? [],
    snapshot: contentSha256 === null ? null : { etag, lastModified, contentSha256 },
  }
  return [run]
}
