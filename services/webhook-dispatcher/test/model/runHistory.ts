import { randomUUID } from "node:crypto"
import { deliveryIdOf, lowestDeliveryId } from "@sitewire/contracts"
import { onOwnConnection, type Pool } from "@sitewire/database"
import * as real from "./functions.ts"
import { type Claimed, createModel, type First, leaseMs, type Outcome, schedule } from "./referenceModel.ts"
import { readRows, rowsOf } from "./rows.ts"
import { events, type Step } from "./steps.ts"

const startOfTime = Date.parse("2030-01-02T12:00:00Z")
const today = Date.parse("2030-01-02T00:00:00Z")
const dayMs = 86_400_000
const claimSettings = { leaseMs, attemptWithinMs: 20_000 }
const responses = {
  accepted: { error: null, status: 204 },
  failed: { error: "status" as const, status: 500 },
  /** It asks for the longest delay. */
  busy: { error: "status" as const, status: 503, retryAfter: "300" },
}

/** An attempt that a dispatcher makes. A kill forgets it. */
type InFlight = { by: string; at: number; used: number } & (
  | { kind: "first"; delivery: real.NewDelivery; since: number }
  | { kind: "claimed"; due: real.ClaimedDelivery; claimed: Claimed }
)

/** How often each change of a delivery has occurred: the step, and the situations before and after it. */
export type Tally = Map<string, number>
/** `steady`: what `performance.now` returns. */
export type World = { pool: Pool; erasures: string; tally: Tally; process: { steady: number } }

/**
 * Executes the steps on the real functions and on the model, and compares their results, and all rows after each step. Beside
 * this, it checks the promises that are about more than one row; these know nothing of the model.
 */
export async function runHistory(
  { pool, erasures, tally, process }: World,
  steps: readonly Step[],
): Promise<void> {
  /** Rows are compared after steps that have executed a statement. */
  let isExecuted = false
  const sql: Pool["sql"] = (...statement) => {
    isExecuted = true
    return pool.sql(...statement)
  }
  const model = createModel()
  const { deliveries, waiting, known } = model.rows
  const inFlight = new Set<InFlight>()
  const records: real.Wake[] = []
  /** Of each attempt that was claimed: until when nobody else may make it. */
  const claims = new Map<string, { lease: number; isOver: boolean }>()
  const notBefore = new Map<string, number>()
  /** How much of the retry period each delivery has used at most: delays, attempts, and what was reported while it was deferred. */
  const used = new Map<string, number>()
  const ids = () => [...deliveries.keys()]
  const pick = <T>(list: readonly T[], index: number): T[] => list.slice(index % list.length).slice(0, 1)
  const idsAt = (indexes: readonly number[]) =>
    [...new Set(indexes.flatMap((index) => pick(ids(), index)))].sort()
  const trace: string[] = []

  function check(holds: boolean, promise: string): void {
    if (!holds) throw new Error(promise)
  }
  function same(actual: unknown, expected: unknown, what: string): void {
    const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
    check(is === should, `${what}\n  is      ${is}\n  expects ${should}`)
  }

  /** The channel of a deferred delivery that no dispatcher has claimed. */
  function deferredChannel(index: number): string {
    const free = [...waiting].filter(
      ([, { deferred, lease }]) => deferred !== null && (lease ?? 0) < model.clock.now,
    )
    const [id] = pick(
      free.map(([id]) => id),
      index,
    )
    return deliveries.get(id ?? "")?.channel ?? "c0"
  }

  async function setClock(now: number): Promise<void> {
    model.clock.now = now
    await pool.sql("update model.clock set at = to_timestamp($1::float8 / 1000)", [now], "set-clock")
  }
  async function pass(ms: number): Promise<void> {
    process.steady += ms
    await setClock(model.clock.now + ms)
  }
  const transaction = <T>(work: (sql: Pool["sql"]) => Promise<T>): Promise<T> =>
    onOwnConnection(pool, async (own) => {
      isExecuted = true
      await own("begin")
      const result = await work(own)
      await own("commit")
      return result
    })

  /** Executes `work` while another transaction has locked the rows of a delivery. */
  async function whileLocked(index: number | null, work: () => Promise<void>): Promise<void> {
    const [id] = index === null ? [] : pick(ids(), index)
    if (id === undefined) return work()
    model.locked.add(id)
    await transaction(async (own) => {
      await own("select from waiting_delivery where delivery_id = $1 for update", [id])
      await own("select from delivery where id = $1 for update", [id])
      await work()
    })
    model.locked.clear()
  }

  function begin(
    by: string,
    due: readonly real.ClaimedDelivery[],
    expected: readonly Claimed[],
    isLost: boolean,
  ): void {
    const times = due.map(({ claim: { leaseExpiresAt, deferredAt, startAt } }) => ({
      lease: leaseExpiresAt.getTime(),
      deferred: deferredAt?.getTime() ?? null,
      startIn: startAt - process.steady,
    }))
    const claimed = due.map(({ id, attempt, failures, since }, at) => {
      const elapsed = Math.round(real.steadyClock.now() - since)
      return { id, attempt, failures, elapsed, ...times[at] }
    })
    const ordered = (list: readonly { id: string }[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    same(ordered(claimed), ordered(expected), "claimed")
    for (const each of expected) {
      const { id, attempt, lease, startIn } = each
      const before = claims.get(`${id} ${attempt}`)
      check(
        !before || before.isOver || before.lease < model.clock.now,
        `${id}: attempt ${attempt} is made by two dispatchers`,
      )
      check(model.clock.now + startIn >= (notBefore.get(id) ?? 0), `${id}: attempt ${attempt} is early`)
      // Its time has come, whatever the clock is set to.
      if (startIn === 0) notBefore.delete(id)
      claims.set(`${id} ${attempt}`, { lease, isOver: isLost })
      const real = due.find((one) => one.id === id)
      if (!real || isLost) continue
      check(real.claim.attemptBefore >= real.claim.startAt, `${id}: the claim is too late for its attempt`)
      inFlight.add({
        kind: "claimed",
        by,
        due: real,
        claimed: each,
        at: process.steady,
        used: used.get(id) ?? 0,
      })
    }
  }

  function endClaim(flight: InFlight): void {
    inFlight.delete(flight)
    if (flight.kind === "first") return
    const claim = claims.get(`${flight.claimed.id} ${flight.claimed.attempt}`)
    if (claim?.lease === flight.claimed.lease) claim.isOver = true
  }

  const flightsOf = (who: string | undefined) => [...inFlight].filter(({ by }) => by === who)
  /** This attempt, and others of its dispatcher. */
  function chosenFlights(index: number, most: number): InFlight[] {
    const [chosen] = pick([...inFlight], index)
    return [...new Set([...(chosen ? [chosen] : []), ...flightsOf(chosen?.by)])].slice(0, most)
  }

  function outcomeOf(
    flight: InFlight,
    response: keyof typeof responses,
  ): { outcome: Outcome; attempt: real.AttemptRecord } {
    const first = flight.kind === "first"
    const {
      id,
      attempt: number,
      failures,
    } = first ? { id: flight.delivery.id, attempt: 1, failures: 0 } : flight.due
    const elapsed = Math.round(real.steadyClock.now() - (first ? flight.since : flight.due.since))
    const claim = first ? null : flight.claimed
    same(elapsed, (claim?.elapsed ?? 0) + process.steady - flight.at, `${id}: the elapsed retry period`)
    const decision = real.decide(schedule, { failures, elapsedMs: elapsed }, responses[response], new Date())
    same(decision, decideByModel(failures, elapsed, response), `${id}: the decision`)
    const startedAt = startOfTime + flight.at + (claim?.startIn ?? 0)
    const { error, status } = responses[response]
    const delay = decision.retry?.delayMs ?? null
    return {
      outcome: {
        ...{ id, number, startedAt, error, elapsed, claim },
        decision: { state: decision.state, delay },
        failures: decision.retry?.failures ?? 0,
      },
      attempt: {
        ...{
          deliveryId: id,
          number,
          startedAt: new Date(startedAt),
          durationMs: 1,
          lookupMs: null,
          connectMs: null,
        },
        ...{
          tlsMs: null,
          firstByteMs: null,
          ip: null,
          url: "https://partner.example/",
          requestHeaders: "h",
          detail: null,
        },
        ...{ status, error, secretId: "s", responseExcerpt: Buffer.from("e"), traceparent: null },
        ...{ state: decision.state, scheduled: decision.retry, elapsedMs: elapsed },
        claim: first ? null : flight.due.claim,
      },
    }
  }

  /** After an outcome was recorded. */
  function follow(
    flight: InFlight,
    { id, number, decision }: Outcome,
    stateBefore: string | undefined,
    unpublished: boolean,
  ): void {
    const made = flight.used + process.steady - flight.at
    const delays = schedule.delaysMs.slice(0, 1 + (flight.kind === "first" ? 0 : flight.due.failures))
    if (stateBefore !== "dead" && deliveries.get(id)?.state === "dead")
      check(made + (delays.at(-1) ?? 0) > schedule.periodMs, `${id} died before its retry period was over`)
    const row = waiting.get(id)
    if (decision.delay === null || row?.next !== model.clock.now + decision.delay) return
    used.set(id, made + decision.delay)
    notBefore.set(id, row.next)
    if (!unpublished) records.push({ delivery: id, attempt: number + 1, previousAttempt: null })
  }

  async function store(flights: readonly InFlight[], step: Step & { do: "end" | "release" }): Promise<void> {
    const batch = [
      ...new Map(
        flights.flatMap((flight) => (flight.kind === "first" ? [[flight.delivery.eventId, flight]] : [])),
      ).values(),
    ]
    if (batch.length === 0) return
    const covered = step.do === "end" && step.covered
    const stored = batch.map((flight) => {
      const { id, eventId: event, channelId: channel, appendedAt: created } = flight.delivery
      const common = { id, event, channel, created, covered }
      if (step.do === "end") return { ...outcomeOf(flight, step.response), flight, common, deferral: null }
      const elapsed = step.reason === "breaker" ? process.steady - flight.at : null
      return { outcome: null, attempt: null, flight, common, deferral: { reason: step.reason, elapsed } }
    })
    const isStale = step.do === "end" && step.staleErasures
    const list = { version: isStale ? randomUUID() : erasures, covers: () => covered }
    const locked = await real.storeDeliveries(
      sql,
      stored.map(({ flight: { delivery }, attempt, deferral }) =>
        attempt
          ? { delivery, attempt, deferral }
          : { delivery, attempt, deferral: { reason: deferral.reason, elapsedMs: deferral.elapsed } },
      ),
      { digestKey: null, publishOutcomes: true },
      list,
    )
    if (isStale) return same(locked, null, "stored against an old list of erasures")
    const before = new Map([...deliveries].map(([id, { state }]) => [id, state]))
    const repeated = stored.filter(({ common, outcome, deferral }) => {
      const first: First = outcome ? { ...common, outcome, deferral } : { ...common, outcome, deferral }
      return !model.store(first)
    })
    const isLocked = ({ common: { event } }: (typeof stored)[number]) =>
      model.locked.has(known.get(event) ?? "")
    same(
      locked,
      repeated.filter((each) => each.outcome && isLocked(each)).map(({ common: { id } }) => id),
      "locked",
    )
    for (const each of stored) {
      if (each.outcome && isLocked(each) && repeated.includes(each)) continue
      endClaim(each.flight)
      const id = known.get(each.common.event) ?? ""
      if (each.outcome)
        follow(each.flight, { ...each.outcome, id }, before.get(id), step.do === "end" && step.unpublished)
      else if (!repeated.includes(each)) used.set(id, each.deferral?.elapsed ?? 0)
    }
  }

  async function record(flights: readonly InFlight[], step: Step & { do: "end" }): Promise<void> {
    const batch = new Map(
      flights.flatMap((flight) => (flight.kind === "claimed" ? [[flight.due.id, flight]] : [])),
    )
    const started = [...batch.values()].filter(({ at, claimed }) => at + claimed.startIn <= process.steady)
    if (started.length === 0) return
    const made = started.map((flight) => ({ flight, ...outcomeOf(flight, step.response) }))
    const locked = await real.recordAttempts(
      sql,
      made.map(({ attempt }) => attempt),
      { publishOutcomes: true },
    )
    same(
      locked,
      made.flatMap(({ outcome: { id } }) => (model.locked.has(id) ? [id] : [])),
      "locked",
    )
    for (const { flight, outcome } of made) {
      const state = deliveries.get(outcome.id)?.state
      model.record(outcome)
      if (model.locked.has(outcome.id)) continue
      endClaim(flight)
      follow(flight, outcome, state, step.unpublished)
    }
  }

  const perform: { [Kind in Step["do"]]: (step: Step & { do: Kind }) => Promise<unknown> | unknown } = {
    consume({ by, event: index, again }) {
      const delivery = newDelivery(index % events, again)
      if (known.has(delivery.eventId) && !again) return
      inFlight.add({
        kind: "first",
        by,
        delivery,
        since: real.steadyClock.now(),
        at: process.steady,
        used: 0,
      })
    },
    async claim({ by, waiting: index, most, fromNow, lost }) {
      const channel = deferredChannel(index)
      const from = fromNow ? model.clock.now : 0
      const due = await real.claimDeferred(sql, [{ channel, limit: most, from }], claimSettings)
      begin(by, due, model.claimDeferred(channel, most, from), lost)
    },
    async wake({ by, records: indexes, onTime, lost }) {
      const isWaited = ({ delivery, attempt }: real.Wake) =>
        waiting.get(delivery)?.next && waiting.get(delivery)?.attempts === attempt - 1
      const chosen = onTime ? records.filter(isWaited) : records
      const wakes = [
        ...new Map(
          indexes.flatMap((index) => pick(chosen, index)).map((wake) => [wake.delivery, wake]),
        ).values(),
      ]
      if (wakes.length === 0) return
      const waitMs = Math.min(
        ...wakes.map(({ delivery }) => (waiting.get(delivery)?.next ?? 0) - model.clock.now),
      )
      if (onTime && waitMs > 0) await pass(waitMs)
      begin(by, await real.claimScheduled(sql, wakes, claimSettings), model.claimScheduled(wakes), lost)
    },
    async end(step) {
      const flights = chosenFlights(step.flight, step.most)
      for (let times = step.twice ? 2 : 1; times > 0; times--) {
        await store(flights, step)
        await record(flights, step)
      }
    },
    async release(step) {
      const flights = chosenFlights(step.flight, 1)
      await store(flights, step)
      for (const flight of flights) {
        if (flight.kind === "first") continue
        const { id, claim } = flight.due
        for (let times = step.twice ? 2 : 1; times > 0; times--) {
          const locked = await real.releaseClaims(sql, [
            { id, leaseExpiresAt: claim.leaseExpiresAt, reason: step.reason },
          ])
          same(locked, model.locked.has(id) && waiting.has(id) ? [id] : [], "locked")
          model.release(id, flight.claimed.lease, step.reason)
        }
        if (!model.locked.has(id)) endClaim(flight)
      }
    },
    kill: ({ by }) => flightsOf(by).forEach(endClaim),
    async makeDue() {
      for (const [id, at] of notBefore) if (at <= model.clock.now) notBefore.delete(id)
      same(await real.makeDue(sql), model.makeDue(), "made due")
      const found = await real.findDeferredChannels(sql)
      if (model.locked.size === 0)
        same(
          found.toSorted((a, b) => (a.channel < b.channel ? -1 : 1)),
          model.findDeferred(),
          "deferred channels",
        )
    },
    pass: ({ ms }) => pass(ms),
    async passUntilDue({ early }) {
      const times = [...waiting.values()].flatMap(({ next }) =>
        next !== null && next - early > model.clock.now ? [next] : [],
      )
      if (times.length > 0) await pass(Math.min(...times) - early - model.clock.now)
    },
    async passUntilLeaseEnds({ late }) {
      const times = [...waiting.values()].flatMap(({ lease }) =>
        lease !== null && lease + late > model.clock.now ? [lease] : [],
      )
      if (times.length > 0) await pass(Math.min(...times) + late - model.clock.now)
    },
    setClock: ({ ms }) => setClock(model.clock.now + ms),
    async report({ waiting: index, ms }) {
      const channel = deferredChannel(index)
      await real.reportUnreachable(sql, [{ channel, ms }])
      model.report(channel, ms)
      for (const [id, { deferred }] of waiting)
        if (deferred !== null && deliveries.get(id)?.channel === channel)
          used.set(id, (used.get(id) ?? 0) + ms)
    },
    async expire({ waiting: index, fromNow }) {
      const channel = deferredChannel(index)
      const from = fromNow ? model.clock.now : 0
      const { expired } = await real.endExpired(sql, [{ channel, from }], { periodMs: schedule.periodMs })
      const expected = model.endExpired(channel, from)
      same(expired.map(({ delivery }) => delivery).sort(), expected.sort(), "expired")
      for (const id of expected)
        check((used.get(id) ?? 0) > schedule.periodMs, `${id} expired before its retry period was over`)
    },
    async resend({ deliveries: indexes }) {
      const ids = idsAt(indexes)
      const job = `job_${trace.length}`
      const expected = model.resend(ids, job)
      same(await transaction((own) => real.deferForResend(own, ids, job)), expected, "resent")
      for (const id of expected) {
        used.set(id, 0)
        notBefore.delete(id)
      }
    },
    async cancel({ delivery }) {
      for (const id of pick(ids(), delivery)) {
        const cancelled = await transaction((own) => real.cancel(own, id))
        const isCancelled = model.cancel(id)
        same(cancelled !== null, isCancelled, "cancelled")
        // A cancellation forgets the lease, so a resend may be attempted beside the attempt that is in flight, with the same number.
        if (isCancelled) for (const [key, claim] of claims) if (key.startsWith(id)) claim.isOver = true
      }
    },
    async erase({ deliveries: indexes }) {
      const ids = idsAt(indexes)
      const job = `job_${trace.length}`
      if (ids.length > 0) await transaction((own) => real.erase(own, ids, job))
      for (const id of ids) model.erase(id, job)
    },
    pause: ({ channel }) => setPaused(channel, true),
    resume: ({ channel }) => setPaused(channel, false),
    async deleteChannel({ channel }) {
      const row = model.channels.get(channel)
      if (!row || row.deleted) return
      row.deleted = true
      await sql("delete from channel where id = $1", [channel])
      await sql("insert into deleted_channel (id) values ($1)", [channel])
    },
    async endDeleted() {
      const wait = (channel: string) =>
        [...waiting.keys()].some((id) => deliveries.get(id)?.channel === channel)
      const deleted = [...model.channels].flatMap(([channel, row]) =>
        row.deleted && wait(channel) ? [channel] : [],
      )
      same((await real.findDeletedChannels(sql)).sort(), deleted, "deleted channels")
      for (const channel of deleted)
        same(await real.endDeliveries(sql, channel, { batch: 10 }), model.endDeleted(channel), "ended")
    },
    async deleteOld() {
      const signal = new AbortController().signal
      isExecuted = true
      await real.deleteOldDeliveries({ pool, before: new Date(today), batch: 10, pauseMs: 0, signal })
      model.deleteOld(lowestDeliveryId(today))
      for (const name of [used, notBefore, claims])
        for (const key of name.keys()) if (!deliveries.has(key.slice(0, 36))) name.delete(key)
    },
  }

  async function setPaused(channel: string, paused: boolean): Promise<void> {
    const row = model.channels.get(channel)
    if (row) row.paused = paused
    await sql("update channel set paused_at = case when $2 then now() end where id = $1", [channel, paused])
  }

  const situation = (id: string) => {
    const state = deliveries.get(id)?.state
    const row = waiting.get(id)
    if (state === "delivered" && row) return "resent"
    if (state !== "pending") return state ?? "none"
    return row ? (row.next === null ? "deferred" : "scheduled") : "pending without a carrier"
  }
  const snapshot = () =>
    new Map(
      ids().map((id) => [
        id,
        { at: situation(id), rows: JSON.stringify([deliveries.get(id), waiting.get(id)]) },
      ]),
    )
  /** Returns what the step has changed. */
  function count(kind: string, before: ReturnType<typeof snapshot>): string[] {
    const after = snapshot()
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (id) => before.get(id)?.rows !== after.get(id)?.rows,
    )
    const arrows = changed.map(
      (id) => `${kind}: ${before.get(id)?.at ?? "none"} -> ${after.get(id)?.at ?? "none"}`,
    )
    for (const arrow of arrows) tally.set(arrow, (tally.get(arrow) ?? 0) + 1)
    return changed.map(
      (id) =>
        `${deliveries.get(id)?.event ?? id} ${before.get(id)?.at ?? "none"} -> ${after.get(id)?.at ?? "none"}`,
    )
  }

  async function execute(step: Step): Promise<void> {
    const set = Object.entries(step).filter(([, value]) => value !== false && value !== null)
    const line = trace.push(
      `${new Date(model.clock.now).toISOString()} ${set.map(([name, value]) => `${name} ${value}`).join(", ")}`,
    )
    // What is counted has passed before.
    if (step.do === "report") await pass(step.ms)
    const before = snapshot()
    const run = perform[step.do] as (step: Step) => Promise<unknown> | unknown
    await whileLocked("locked" in step ? step.locked : null, async () => {
      await run(step)
      if ("twice" in step && step.twice && step.do !== "end" && step.do !== "release") await run(step)
    })
    for (const change of count(step.do, before)) trace[line - 1] += `: ${change}`
    if (!isExecuted) return
    isExecuted = false
    const rows = await readRows(sql)
    const expected = rowsOf(model)
    for (const table of Object.keys(expected) as (keyof typeof expected)[])
      same(rows[table], expected[table], `the rows of ${table}`)
    for (const id of ids()) check(situation(id) !== "pending without a carrier", `${id} waits for nothing`)
  }

  /** When everybody works again, everything ends. */
  async function settle(): Promise<void> {
    for (const by of ["A", "B"] as const) await execute({ do: "kill", by })
    await execute({ do: "pass", ms: dayMs })
    for (const channel of model.channels.keys()) await execute({ do: "resume", channel })
    await execute({ do: "endDeleted", twice: false, locked: null })
    await execute({ do: "makeDue", twice: false, locked: null })
    for (const at of [...waiting.keys()].keys())
      await execute({
        do: "claim",
        by: "A",
        waiting: at,
        most: 100,
        fromNow: false,
        lost: false,
        locked: null,
      })
    const rest = { twice: false, locked: null, unpublished: false, staleErasures: false, covered: false }
    await execute({ do: "end", flight: 0, most: 100, response: "accepted", ...rest })
    same([...waiting.keys()], [], "what waits at the end")
  }

  try {
    await reset(pool)
    for (const channel of ["c0", "c1"]) model.channels.set(channel, { paused: false, deleted: false })
    await setClock(startOfTime)
    for (const step of steps) await execute(step)
    await settle()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`${message}\nafter\n  ${trace.join("\n  ")}`, { cause: error })
  }
}

function decideByModel(failures: number, elapsed: number, response: keyof typeof responses) {
  if (response === "accepted") return { state: "delivered", retry: null }
  const delays = schedule.delaysMs.map((delayMs, step) => ({ step, delayMs }))
  const usual = Math.min(failures, delays.length - 1)
  const fitting = delays.filter(
    ({ step, delayMs }) => step >= usual && elapsed + delayMs <= schedule.periodMs,
  )
  const chosen = response === "busy" ? fitting.at(-1) : fitting[0]
  if (!chosen) return { state: "dead", retry: null }
  return { state: "pending", retry: { ...chosen, failures: failures + 1 } }
}

/** The events with even numbers are to the channel c0, and the first ones are a day old. */
function newDelivery(index: number, isPublishedAgain: boolean): real.NewDelivery {
  const eventId = `e${index}`
  const appendedAt = startOfTime - (index < 2 ? dayMs : 0) + index * 1_000 + (isPublishedAgain ? 1 : 0)
  return {
    ...{
      id: deliveryIdOf(eventId, appendedAt),
      eventId,
      channelId: `c${index % 2}`,
      appendedAt,
      correlation: "c",
    },
    ...{ body: Buffer.from("body"), bodySha256: Buffer.alloc(32, 1), searchDigests: Buffer.alloc(64, 2) },
    ...{ emailSha256: null, traceparent: null },
  }
}

async function reset({ sql }: Pool): Promise<void> {
  await sql(`delete from delivery; delete from waiting_delivery; delete from attempt; delete from known_event;
    delete from ended_delivery; delete from unreachable_channel; delete from deleted_channel; delete from channel;
    insert into channel (id, address, secret_id, secret_sealed, updated_at)
      values ('c0', 'https://partner.example/', 's', '', now()), ('c1', 'https://partner.example/', 's', '', now());
    select make_days('2030-01-01', '2030-01-02') where to_regclass('delivery_20300101') is null`)
}
