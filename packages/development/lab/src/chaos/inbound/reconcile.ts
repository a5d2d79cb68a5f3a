/** Times are milliseconds since the epoch. */
export type Call = {
  connection: string
  sentAt: number
  /** When the response arrived or the caller gave up. */
  endedAt: number
  /** 0: no response. */
  status: number
  /**
   * Whether the call's token was the current one. `valid`: all the time from request to response. `replaced`:
   * already replaced before the request. `between`: replaced between request and response, so that both 202
   * and 404 are right.
   */
  token: "valid" | "replaced" | "between"
}

/**
 * A GET that was read at the time `at`. `steadyMs` is the same time by the source's monotonic clock, which
 * measures the time between GETs. The GET may have arrived up to `lateMs` earlier, if the source's process
 * got no CPU time.
 */
export type SeenGet = { connection: string; at: number; steadyMs: number; lateMs: number }

export type SyncRunRow = {
  connection: string
  outcome: string
  startedAt: number
  finishedAt: number | null
}

export type Evidence = {
  calls: Call[]
  gets: SeenGet[]
  runs: SyncRunRow[]
  /** Two syncs of a connection must be at least this far apart. */
  windowMs: number
  waiting: string[]
}

export type InboundLedger = {
  accepted: number
  /** Calls with a 202 after which no successful run read the source. */
  forgotten: string[]
  /** Pairs of GETs of one connection that reached the source less than a window apart. */
  tooClose: string[]
  /** How many GETs came without a trigger since the connection's previous GET. */
  duplicates: number
  /** Calls that got a 202 although their token had been replaced. */
  revived: string[]
  /** Calls that got a 404 although their token was valid. */
  rejected: string[]
  waiting: string[]
  /** True if no guarantee was broken. Duplicates break none. */
  holds: boolean
}

/**
 * By their times, a GET may seem to be this many milliseconds outside of the run that sent it, because rows
 * have whole milliseconds and two processes read the clock.
 */
const clockMs = 50

/**
 * Describes two GETs that came too close together. States their distance by the source's two clocks and by
 * the starts of their runs in the database, to tell a wrong clock from a wrong window.
 */
function describePair(before: SeenGet, get: SeenGet, runs: SyncRunRow[]): string {
  const { connection } = get
  const grantedFor = ({ at }: SeenGet) =>
    Math.max(
      ...runs
        .filter((run) => run.connection === connection && run.startedAt <= at + clockMs)
        .map(({ startedAt }) => startedAt),
    )
  const distances = {
    "after the GET before": get.steadyMs - before.steadyMs,
    "by the calendar": get.at - before.at,
    "between the grants": grantedFor(get) - grantedFor(before),
    "that the GET before may have arrived earlier": before.lateMs,
  }
  const texts = Object.entries(distances).map(([what, ms]) => `${ms.toFixed(1)} ms ${what}`)
  return `${connection} at ${new Date(get.at).toISOString()}: ${texts.join(", ")}`
}

export function reconcile({ calls, gets, runs, windowMs, waiting }: Evidence): InboundLedger {
  const accepted = calls.filter(({ status }) => status === 202)
  const getsOf = Map.groupBy(gets, ({ connection }) => connection)
  const callsOf = Map.groupBy(calls, ({ connection }) => connection)
  const successful = Map.groupBy(
    runs.filter(({ outcome }) => outcome === "changed" || outcome === "unchanged"),
    ({ connection }) => connection,
  )

  /**
   * For each connection, the time of the newest GET of a successful run. All earlier triggers are covered.
   */
  const covered = new Map<string, number>()
  for (const [connection, ended] of successful) {
    const good = (getsOf.get(connection) ?? []).filter(({ at }) =>
      ended.some(
        ({ startedAt, finishedAt }) =>
          at >= startedAt - clockMs && finishedAt !== null && at <= finishedAt + clockMs,
      ),
    )
    covered.set(connection, Math.max(0, ...good.map(({ at }) => at)))
  }
  const describe = ({ connection, sentAt }: Call) => `${connection} at ${new Date(sentAt).toISOString()}`
  const forgotten = accepted.filter(({ connection, sentAt }) => (covered.get(connection) ?? 0) < sentAt)

  const tooClose: string[] = []
  let duplicates = 0
  for (const [connection, of] of getsOf) {
    const sorted = of.toSorted((a, b) => a.steadyMs - b.steadyMs)
    for (const [at, get] of sorted.entries()) {
      const before = sorted[at - 1]
      if (before === undefined) continue
      // The source's process may have read the previous GET late, so the time counts from that GET's earliest
      // possible arrival.
      if (get.steadyMs - (before.steadyMs - before.lateMs) < windowMs)
        tooClose.push(describePair(before, get, runs))
      const isTriggered = (callsOf.get(connection) ?? []).some(
        ({ sentAt, endedAt }) => endedAt >= before.at && sentAt <= get.at,
      )
      if (!isTriggered) duplicates += 1
    }
  }

  const revived = accepted.filter(({ token }) => token === "replaced")
  const rejected = calls.filter(({ status, token }) => status === 404 && token === "valid")
  const faulty = forgotten.length + tooClose.length + revived.length + rejected.length + waiting.length
  return {
    accepted: accepted.length,
    forgotten: forgotten.map(describe),
    tooClose,
    duplicates,
    revived: revived.map(describe),
    rejected: rejected.map(describe),
    waiting,
    holds: faulty === 0,
  }
}
