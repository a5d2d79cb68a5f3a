import type { Call } from "../load/load.ts"
import type { SeenGet } from "../load/seen.ts"

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

export function reconcile({ calls, gets, runs, windowMs, waiting }: Evidence): InboundLedger {
  const accepted = calls.filter(({ status }) => status === 202)
  const getsOf = Map.groupBy(gets, ({ connection }) => connection)
  const callsOf = Map.groupBy(calls, ({ connection }) => connection)
  const successful = Map.groupBy(
    runs.filter(({ outcome }) => outcome === "changed" || outcome === "unchanged"),
    ({ connection }) => connection,
  )

  /** For each connection, the time of the newest GET of a successful run. All earlier triggers are covered. */
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
        tooClose.push(
          `${connection} at ${new Date(get.at).toISOString()}: ${(get.steadyMs - before.steadyMs).toFixed(1)} ms after the ` +
            `GET before, which may have arrived ${before.lateMs.toFixed(1)} ms earlier`,
        )
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
