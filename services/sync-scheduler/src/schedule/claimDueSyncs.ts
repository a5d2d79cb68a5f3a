import { type Clocks, type Sql, startStopwatch } from "@sitewire/database"
import type { GrantedRun, WindowSettings } from "../syncRun.ts"
import { type ClaimedRow, claimDue, claimOne, findDue, queuesAtOnce, readAtOnce } from "./claimStatements.ts"

/**
 * How many more syncs may start (`all`), and how many of these may be syncs of slow connections. A connection
 * is slow if its last run took more than its equal share of time or ran into a time limit.
 */
export type FreePermits = { all: number; slow: number }

export type ClaimInput = {
  total: FreePermits
  /** So many of `total.all` are kept for syncs that would be their host's first or second in flight. */
  reserved?: number
  /**
   * `isProbe`: the host's circuit breaker is open, so its next sync is a probe. A slow connection is chosen
   * for the probe only if no other connection of the host is due. Hosts with fewer syncs in flight come first.
   */
  hosts: readonly { host: string; inFlight: number; free: FreePermits; isProbe: boolean }[]
  otherHost: FreePermits
  /** What was due before (Unix time in ms, by Postgres's clock) and is in no host's queue is not read. */
  scanFromMs?: number
  /** The hosts' queues up to this one are not read: the last claim has read them. Default: all are read. */
  afterQueue?: HostQueue | null
}

/** Each host has a queue, and another one for its slow connections. */
export type HostQueue = { slow: boolean; host: string }

export type Claim = {
  age: () => number
  runs: GrantedRun[]
  /** Due connections were not granted, for lack of permits: claim again when a run ends. */
  limited: boolean
  /** The statement reached its limit of rows: claim again at once. */
  more: boolean
  /** Until the earliest `due_at` in the future. Null if there is none or it was not read. */
  nextDueInMs: number | null
  /** The last queue that was read, if there may be more. */
  lastQueue: HostQueue | null
  /** When the oldest of the syncs that were read was due; the time of the claim if none was. Unix time in ms, by Postgres's clock. */
  oldestDueMs: number
}

/**
 * From the claim to the request: enough for a name lookup, two lost SYNs and TLS. More would only delay a connection's next
 * sync after a crash.
 */
export const startGraceMs = 5_000

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
  const rows = await claimDue(sql, { ...grant(settings), ...choice(input) })
  const [first] = rows
  const runs = rows.flatMap(readRun)
  const { not_queued = 0, candidates = 0, queued_now = 0, waiting = false } = first ?? {}
  const claimed = runs.length + (first?.waiting_after_losses ?? 0)
  const lastQueue = lastQueueOf(first)
  return {
    age,
    runs,
    limited: waiting || candidates > claimed,
    more: (not_queued === readAtOnce && claimed + queued_now > 0) || (lastQueue !== null && claimed === 0),
    lastQueue,
    nextDueInMs: first?.next_due_in_ms ?? null,
    oldestDueMs: first?.oldest_due_ms ?? 0,
  }
}

/** The connections that `claimDueSyncs` would grant now. Writes nothing. */
export async function findDueConnections(sql: Sql, input: ClaimInput): Promise<string[]> {
  const rows = await findDue(sql, choice(input))
  return rows.map(({ connection_id }) => connection_id)
}

export async function claimConnection(
  sql: Sql,
  settings: WindowSettings,
  connection: string,
): Promise<GrantedRun[]> {
  const rows = await claimOne(sql, { ...grant(settings), connection })
  return rows.flatMap(readRun)
}

function grant({ windowMs, deadlineMs, startGraceMs }: WindowSettings) {
  return { windowMs: windowMs + startGraceMs, leaseMs: deadlineMs + leaseMarginMs }
}

function lastQueueOf(row: ClaimedRow | undefined): HostQueue | null {
  const { queues_read, last_slow: slow, last_host: host } = row ?? {}
  return queues_read === queuesAtOnce && slow != null && host != null ? { slow, host } : null
}

function choice({ total, reserved = 0, hosts, otherHost, scanFromMs = 0, afterQueue }: ClaimInput) {
  return {
    hosts: hosts.map(({ host }) => host),
    inFlight: hosts.map(({ inFlight }) => inFlight),
    free: hosts.map(({ free }) => free.all),
    freeSlow: hosts.map(({ free }) => free.slow),
    isProbe: hosts.map(({ isProbe }) => isProbe),
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

function readRun(row: ClaimedRow): GrantedRun[] {
  if (row.connection_id === null) return []
  const { etag, content_sha256: contentSha256 } = row
  const sealed = { signingSecret: row.signing_secret_sealed, requestHeaders: row.request_headers_sealed }
  const run: GrantedRun = {
    connection: row.connection_id,
    site: row.site,
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
    waitedFor: row.waited_for,
    correlation: row.correlation,
    traceparents: row.traceparents?.split(" ") ?? [],
    sealed,
    snapshot: contentSha256 === null ? null : { etag, contentSha256 },
  }
  return [run]
}
