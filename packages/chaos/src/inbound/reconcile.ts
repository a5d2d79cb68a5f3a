/** Times are milliseconds since the epoch. */
export type Call = {
  connection: string
  sentAt: number
  /** When the answer was there, or the caller gave up. */
  endedAt: number
  /** 0: no answer. */
  status: number
  /**
   * What the address was while the call was under way: `valid` from sending to answer, `replaced` before it was sent
   * (the replacement had returned), or `between`, where either answer is right.
   */
  address: "valid" | "replaced" | "between"
}

/**
 * `steadyMs` is by the source's monotonic clock: distances between GETs are measured with it. The GET may have come up
 * to `lateMs` before, while the source's process had no processor.
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
  windowMs: number
  /** Connections whose window still has triggers that no run covered. */
  waiting: string[]
}

export type InboundLedger = {
  /** Calls that were answered 202. */
  accepted: number
  /** 202s without a successful run that read the source after the trigger was sent. */
  forgotten: string[]
  /** Pairs of GETs of one connection that came closer than the window, seen from the partner's side. */
  tooClose: string[]
  /** GETs that no trigger asked for: every call that was sent before it had been answered before the GET before it. */
  duplicates: number
  /** 202s on an address whose replacement had returned before. */
  revived: string[]
  /** 404s on a valid address. */
  refused: string[]
  waiting: string[]
  holds: boolean
}

/** Rows keep milliseconds and two processes read the clock: a GET may seem to be this much outside of its run. */
const clockMs = 50

/** With what tells a wrong clock from a wrong window: the distance by both clocks, and what the database granted. */
function describePair(before: SeenGet, get: SeenGet, runs: SyncRunRow[]): string {
  const { connection } = get
  const grantedFor = ({ at }: SeenGet) =>
    Math.max(
      ...runs
        .filter((run) => run.connection === connection && run.startedAt <= at + clockMs)
        .map(({ startedAt }) => startedAt),
    )
  const distances = {
    "after the one before": get.steadyMs - before.steadyMs,
    "by the calendar": get.at - before.at,
    "between the grants": grantedFor(get) - grantedFor(before),
    "that the one before may have come earlier": before.lateMs,
  }
  const texts = Object.entries(distances).map(([what, ms]) => `${ms.toFixed(1)} ms ${what}`)
  return `${connection} at ${new Date(get.at).toISOString()}: ${texts.join(", ")}`
}

/** Compares what callers were promised with what the database says and what the partners' sources saw. */
export function reconcile({ calls, gets, runs, windowMs, waiting }: Evidence): InboundLedger {
  const accepted = calls.filter(({ status }) => status === 202)
  const getsOf = Map.groupBy(gets, ({ connection }) => connection)
  const callsOf = Map.groupBy(calls, ({ connection }) => connection)
  const successful = Map.groupBy(
    runs.filter(({ outcome }) => outcome === "changed" || outcome === "unchanged"),
    ({ connection }) => connection,
  )

  /** The newest reading of a source that came to a good end; a trigger sent before it is covered. */
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
      // The scheduler counts from the sending, and the partner from the coming: not from when its process woke up.
      if (get.steadyMs - (before.steadyMs - before.lateMs) < windowMs)
        tooClose.push(describePair(before, get, runs))
      const asked = (callsOf.get(connection) ?? []).some(
        ({ sentAt, endedAt }) => endedAt >= before.at && sentAt <= get.at,
      )
      if (!asked) duplicates += 1
    }
  }

  const revived = accepted.filter(({ address }) => address === "replaced")
  const refused = calls.filter(({ status, address }) => status === 404 && address === "valid")
  const faulty = forgotten.length + tooClose.length + revived.length + refused.length + waiting.length
  return {
    accepted: accepted.length,
    forgotten: forgotten.map(describe),
    tooClose,
    duplicates,
    revived: revived.map(describe),
    refused: refused.map(describe),
    waiting,
    holds: faulty === 0,
  }
}
