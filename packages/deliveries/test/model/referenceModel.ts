/** Milliseconds since the epoch, by Postgres's clock. */
type Time = number

export type Delivery = {
  event: string
  channel: string
  state: "pending" | "delivered" | "dead" | "cancelled" | "erased"
  attempts: number
  lastError: string | null
  lastStatus: number | null
  finished: Time | null
  deadReason: "channel_deleted" | null
  job: string | null
  created: Time
}

/** What a delivery waits for: it is scheduled (`next`) or deferred (`deferred`). */
export type Waiting = {
  attempts: number
  next: Time | null
  deferred: Time | null
  reason: string | null
  lease: Time | null
  failures: number | null
  periodStart: Time | null
  /** What was counted of its channel when it was deferred. */
  unreachable: number | null
}

type Ended = {
  id: string
  state: Delivery["state"]
  attempts: number
  error: string | null
  since: Time | null
}
/** Identifies the claim and the deferral for which an attempt was made. */
type Claim = { lease: Time; deferred: Time | null }
export type Claimed = Claim & {
  id: string
  attempt: number
  failures: number
  /** How much of the retry period is over. */
  elapsed: number
  startIn: number
}
export type Outcome = {
  id: string
  number: number
  startedAt: Time
  error: string | null
  status: number | null
  decision: { state: "pending" | "delivered" | "dead"; delay: number | null }
  failures: number
  elapsed: number
  claim: Claim | null
}
export type First = Pick<Delivery, "event" | "channel" | "created"> & { id: string; covered: boolean } & (
    | { outcome: Outcome; deferral: null }
    | { outcome: null; deferral: { reason: string; elapsed: number | null } }
  )

export const schedule = { delaysMs: [60_000, 600_000], periodMs: 900_000 }
export const leaseMs = 50_000
const lateMs = 2_000
const aheadMs = 5_000
const longestReportMs = 120_000

/**
 * The state diagram of `docs/how-it-works.md` as a program: the rows of deliveries, and what each arrow does with them. Each
 * function is one statement. It knows neither SQL nor how the statements are executed.
 *
 * `locked`: deliveries whose rows another transaction has locked. A dispatcher leaves them as they are.
 */
export function createModel(clock = { now: 0 }, settings = { leaseMs, periodMs: schedule.periodMs }) {
  const deliveries = new Map<string, Delivery>()
  const waiting = new Map<string, Waiting>()
  /** By delivery, number and start. The value says whether what may quote the body is stored. */
  const attempts = new Map<string, boolean>()
  const known = new Map<string, string>()
  const ended: Ended[] = []
  const channels = new Map<string, { paused: boolean; deleted: boolean }>()
  const unreachable = new Map<string, { counted: number; seen: Time }>()
  const locked = new Set<string>()

  const isFree = (id: string, { lease }: Waiting) => !locked.has(id) && (lease === null || lease < clock.now)
  const isOpen = (channel: string) =>
    channels.get(channel)?.paused === false && !channels.get(channel)?.deleted
  const channelOf = (id: string) => deliveries.get(id)?.channel ?? ""
  /** What is counted of a channel, and what the next report adds. */
  const unreachableUntilNow = (channel: string) => {
    const row = unreachable.get(channel)
    return row ? row.counted + Math.max(0, Math.min(clock.now - row.seen, longestReportMs)) : null
  }
  const elapsedOf = (id: string, { next, deferred, periodStart, unreachable: before }: Waiting) => {
    if (deferred === null) return Math.max(0, Math.min(clock.now, next ?? 0) - (periodStart ?? 0))
    const counted = (unreachable.get(channelOf(id))?.counted ?? 0) - (before ?? 0)
    return Math.max(0, deferred - (periodStart ?? deferred)) + Math.max(0, counted)
  }
  /** The deferred deliveries of a channel that can be claimed, the oldest first. */
  const queue = (channel: string, from: Time) =>
    [...waiting]
      .filter(([id, row]) => channelOf(id) === channel && (row.deferred ?? -1) >= from && isFree(id, row))
      .sort(([a, { deferred: x }], [b, { deferred: y }]) => (x ?? 0) - (y ?? 0) || (a < b ? -1 : 1))

  function end(id: string, delivery: Delivery, error: string | null, since: Time | null): void {
    ended.push({ id, state: delivery.state, attempts: delivery.attempts, error, since })
  }

  function claim(id: string, row: Waiting, startIn: number): Claimed {
    row.lease = clock.now + settings.leaseMs + startIn
    const { lease, deferred, failures } = row
    const elapsed = elapsedOf(id, row)
    return { id, attempt: row.attempts + 1, failures: failures ?? 0, elapsed, lease, deferred, startIn }
  }

  /** An outcome counts if it is accepted, or if its claim still exists. A resend since the claim waits for an attempt of its own. */
  function record({
    id,
    number,
    startedAt,
    error,
    status,
    decision,
    failures,
    elapsed,
    claim,
  }: Outcome): void {
    if (locked.has(id)) return
    const delivery = deliveries.get(id)
    const row = waiting.get(id)
    const key = `${id} ${number} ${startedAt}`
    const quotes = delivery !== undefined && delivery.state !== "erased"
    attempts.set(key, attempts.get(key) ?? quotes)
    if (!delivery) return
    const isAccepted = decision.state === "delivered"
    const isClaimed = row !== undefined && row.lease !== null && row.lease === claim?.lease
    const isResent = row?.reason === "resend" && row.deferred !== (claim?.deferred ?? null)
    const isOver = decision.state === "dead" && isClaimed && !isResent
    const isNew = number > delivery.attempts
    const changesState = isAccepted && !["delivered", "erased"].includes(delivery.state)
    if (!isNew && !changesState && !isClaimed) return
    delivery.attempts = Math.max(delivery.attempts, number)
    if (error !== null) Object.assign(delivery, { lastError: error, lastStatus: status })
    if (isAccepted) delivery.deadReason = null
    if ((isAccepted && delivery.state !== "erased") || (isOver && delivery.state === "pending")) {
      delivery.state = isAccepted ? "delivered" : "dead"
      delivery.finished = clock.now
      end(id, { ...delivery, attempts: number }, error, clock.now - elapsed)
    }
    if (!row) return
    if (!isResent && (isAccepted || isOver)) return void waiting.delete(id)
    row.attempts = delivery.attempts
    if (!isClaimed) return
    row.lease = null
    if (isResent || decision.delay === null) return
    const periodStart = clock.now - elapsed
    Object.assign(row, {
      next: clock.now + decision.delay,
      deferred: null,
      reason: null,
      failures,
      periodStart,
    })
  }

  return {
    rows: { deliveries, waiting, attempts, known, ended, unreachable },
    channels,
    locked,
    clock,
    record,
    /** False: an outcome of an event that is stored already was recorded, if it had one. */
    store({ id, event, channel, created, covered, outcome, deferral }: First): boolean {
      const other = known.get(event)
      known.set(event, other ?? id)
      if (other !== undefined || deliveries.has(id)) {
        if (outcome) record({ ...outcome, id: other ?? id, claim: null })
        return false
      }
      const { now } = clock
      const state = covered ? "erased" : (outcome?.decision.state ?? "pending")
      const made = outcome ? 1 : 0
      const lastError = outcome?.error ?? null
      const last = { lastError, lastStatus: lastError === null ? null : (outcome?.status ?? null) }
      const finished = state === "pending" ? null : now
      const ends = { finished, deadReason: null, job: null }
      const delivery: Delivery = { event, channel, state, attempts: made, ...last, created, ...ends }
      deliveries.set(id, delivery)
      if (outcome) attempts.set(`${id} 1 ${outcome.startedAt}`, !covered)
      if (state !== "pending") end(id, delivery, lastError, outcome ? now - outcome.elapsed : null)
      else {
        const elapsed = outcome ? outcome.elapsed : deferral.elapsed
        waiting.set(id, {
          attempts: made,
          next: outcome ? now + (outcome.decision.delay ?? 0) : null,
          deferred: outcome ? null : now,
          reason: deferral?.reason ?? null,
          lease: null,
          failures: outcome?.failures ?? 0,
          periodStart: elapsed === null ? null : now - elapsed,
          unreachable: deferral ? unreachableUntilNow(channel) : null,
        })
      }
      return true
    },
    claimDeferred(channel: string, most: number, from: Time): Claimed[] {
      const free = isOpen(channel) ? queue(channel, from) : []
      return free.slice(0, most).map(([id, row]) => claim(id, row, 0))
    },
    claimScheduled(wakes: readonly { delivery: string; attempt: number }[]): Claimed[] {
      const byId = wakes.toSorted((a, b) => (a.delivery < b.delivery ? -1 : 1))
      return byId.flatMap(({ delivery: id, attempt }) => {
        const row = waiting.get(id)
        if (!row || row.next === null || row.next > clock.now + aheadMs) return []
        if (row.attempts !== attempt - 1 || !isFree(id, row) || channels.get(channelOf(id))?.deleted)
          return []
        return [claim(id, row, Math.max(0, row.next - clock.now))]
      })
    },
    /** A scheduled delivery that is due is deferred; what it was late does not count towards its retry period. */
    release(id: string, lease: Time, reason: string): void {
      const row = waiting.get(id)
      if (!row || row.lease !== lease || locked.has(id)) return
      row.lease = null
      if (row.next === null || row.next > clock.now) return
      if (row.periodStart !== null) row.periodStart += clock.now - row.next
      Object.assign(row, {
        next: null,
        deferred: clock.now,
        reason,
        unreachable: unreachableUntilNow(channelOf(id)),
      })
    },
    makeDue(): number {
      const late = [...waiting].filter(
        ([id, row]) => row.next !== null && row.next < clock.now - lateMs && isFree(id, row),
      )
      for (const [id, row] of late) {
        if (row.periodStart !== null) row.periodStart += clock.now - (row.next ?? 0)
        Object.assign(row, { next: null, deferred: clock.now, reason: "overdue", lease: null })
        row.unreachable = unreachableUntilNow(channelOf(id))
      }
      return late.length
    },
    findDeferred: () =>
      [...channels].flatMap(([channel, { paused, deleted }]) => {
        const [oldest] = deleted ? [] : queue(channel, 0)
        return oldest ? [{ channel, paused, oldestMs: oldest[1].deferred }] : []
      }),
    report(channel: string, ms: number): void {
      if (channels.get(channel)?.deleted) return
      const row = unreachable.get(channel)
      const more = row ? Math.min(ms, Math.max(0, clock.now - row.seen)) : ms
      unreachable.set(channel, { counted: (row?.counted ?? 0) + more, seen: clock.now })
    },
    endExpired(channel: string, from: Time): { delivery: string; died: boolean }[] {
      if (!isOpen(channel) || !unreachable.has(channel)) return []
      const expired = queue(channel, from).filter(([id, row]) => elapsedOf(id, row) > settings.periodMs)
      return expired.map(([id]) => ({ delivery: id, died: endWaiting(id, "not-attempted") }))
    },
    endDeleted(channel: string): number {
      const free = [...waiting].filter(([id, row]) => channelOf(id) === channel && isFree(id, row))
      return free.map(([id]) => endWaiting(id, "channel-deleted")).length
    },
    resend(ids: readonly string[], job: string): string[] {
      return ids.filter((id) => {
        const delivery = deliveries.get(id)
        if (!delivery || delivery.state === "erased" || channels.get(delivery.channel)?.deleted) return false
        const { lease, deferred } = waiting.get(id) ?? { lease: null, deferred: null }
        waiting.set(id, {
          attempts: delivery.attempts,
          next: null,
          deferred: Math.max(clock.now, (deferred ?? Number.NEGATIVE_INFINITY) + 1),
          reason: "resend",
          lease,
          failures: 0,
          periodStart: null,
          unreachable: unreachableUntilNow(delivery.channel),
        })
        Object.assign(delivery, { job, deadReason: null })
        if (delivery.state === "delivered") return true
        Object.assign(delivery, { state: "pending", finished: null })
        return true
      })
    },
    cancel(id: string): boolean {
      const delivery = deliveries.get(id)
      if (delivery?.state !== "pending") return false
      Object.assign(delivery, { state: "cancelled", finished: clock.now })
      end(id, delivery, null, null)
      waiting.delete(id)
      return true
    },
    erase(id: string, job: string): void {
      const delivery = deliveries.get(id)
      const wasPending = delivery?.state === "pending"
      if (delivery && delivery.state !== "erased")
        Object.assign(delivery, { state: "erased", finished: clock.now, job })
      if (delivery && wasPending) end(id, delivery, null, null)
      waiting.delete(id)
      for (const key of attempts.keys()) if (key.startsWith(id)) attempts.set(key, false)
    },
    /** Deletes what was created before this id's time, except what waits. */
    deleteOld(bound: string): void {
      for (const [id, { event }] of deliveries) {
        if (id >= bound || waiting.has(id)) continue
        deliveries.delete(id)
        if (known.get(event) === id) known.delete(event)
      }
      for (const key of attempts.keys()) {
        const id = key.slice(0, 36)
        if (id < bound && !deliveries.has(id)) attempts.delete(key)
      }
    },
  }

  /** False: it was delivered before. */
  function endWaiting(id: string, error: "not-attempted" | "channel-deleted"): boolean {
    const row = waiting.get(id)
    const delivery = deliveries.get(id)
    waiting.delete(id)
    if (delivery?.state !== "pending") return false
    delivery.state = "dead"
    delivery.finished = clock.now
    delivery.deadReason = error === "channel-deleted" ? "channel_deleted" : null
    const deferredSince = error === "not-attempted" ? (row?.deferred ?? null) : delivery.created
    end(id, delivery, error, row?.periodStart ?? deferredSince)
    return true
  }
}

export type Model = ReturnType<typeof createModel>
