import { randomUUID } from "node:crypto"
import * as real from "../../src/index.ts"
import { check, type History, type InFlight, pick, same, startOfTime } from "./history.ts"
import { type Claimed, type First, type Outcome, schedule } from "./referenceModel.ts"
import type { Step } from "./steps.ts"

const responses = {
  accepted: { error: null, status: 204 },
  failed: { error: "status" as const, status: 500 },
  /** It asks for the longest delay. */
  busy: { error: "status" as const, status: 503, retryAfter: "300" },
}

/** Dispatcher `by` has claimed these deliveries. */
export function begin(
  it: History,
  by: string,
  due: readonly real.ClaimedDelivery[],
  expected: readonly Claimed[],
  isLost: boolean,
): void {
  const { process, model, claims, notBefore, used, inFlight } = it
  const times = due.map(({ claim: { leaseExpiresAt, deferredAt, startAt } }) => ({
    lease: leaseExpiresAt.getTime(),
    deferred: deferredAt?.getTime() ?? null,
    startIn: startAt - process.steady,
  }))
  const claimed = due.map(({ id, attempt, failures, since }, at) => {
    const elapsed = Math.round(performance.now() - since)
    return { id, attempt, failures, elapsed, ...times[at] }
  })
  same(claimed, expected, "claimed")
  for (const each of expected) {
    const { id, attempt, lease, startIn } = each
    const before = claims.get(`${id} ${attempt}`)
    check(
      // Of a clock that was set back, both count: by it, the lease lasts again.
      !before || before.isOver || before.lease < model.clock.now || before.endsAt < process.steady,
      `${id}: attempt ${attempt} is made by two dispatchers`,
    )
    check(model.clock.now + startIn >= (notBefore.get(id) ?? 0), `${id}: attempt ${attempt} is early`)
    // Its time has come, whatever the clock is set to.
    if (startIn === 0) notBefore.delete(id)
    claims.set(`${id} ${attempt}`, {
      lease,
      endsAt: process.steady + lease - model.clock.now,
      isOver: isLost,
    })
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

export function endClaim(it: History, flight: InFlight): void {
  const { inFlight, claims } = it
  inFlight.delete(flight)
  if (flight.kind === "first") return
  const claim = claims.get(`${flight.claimed.id} ${flight.claimed.attempt}`)
  if (claim?.lease === flight.claimed.lease) claim.isOver = true
}

const flightsOf = ({ inFlight }: History, who: string | undefined) =>
  [...inFlight].filter(({ by }) => by === who)

export function kill(it: History, by: string): void {
  for (const flight of flightsOf(it, by)) endClaim(it, flight)
}

/** This attempt, and others of its dispatcher. */
export function chosenFlights(it: History, index: number, most: number): InFlight[] {
  const [chosen] = pick([...it.inFlight], index)
  return [...new Set([...(chosen ? [chosen] : []), ...flightsOf(it, chosen?.by)])].slice(0, most)
}

function outcomeOf(
  it: History,
  flight: InFlight,
  response: keyof typeof responses,
): { outcome: Outcome; attempt: real.AttemptRecord } {
  const { process } = it
  const first = flight.kind === "first"
  const {
    id,
    attempt: number,
    failures,
  } = first ? { id: flight.delivery.id, attempt: 1, failures: 0 } : flight.due
  const elapsed = Math.round(performance.now() - (first ? flight.since : flight.due.since))
  const claim = first ? null : flight.claimed
  same(elapsed, (claim?.elapsed ?? 0) + process.steady - flight.at, `${id}: the elapsed retry period`)
  const decision = real.decide(schedule, { failures, elapsedMs: elapsed }, responses[response], new Date())
  same(decision, decideByModel(failures, elapsed, response), `${id}: the decision`)
  const startedAt = startOfTime + flight.at + (claim?.startIn ?? 0)
  const { error, status } = responses[response]
  const delay = decision.retry?.delayMs ?? null
  return {
    outcome: {
      ...{ id, number, startedAt, error, status, elapsed, claim },
      decision: { state: decision.state, delay },
      failures: decision.retry?.failures ?? 0,
    },
    attempt: {
      ...{
        delivery_id: id,
        number,
        started_at: new Date(startedAt),
        duration_ms: 1,
        lookup_ms: null,
        connect_ms: null,
      },
      ...{
        tls_ms: null,
        first_byte_ms: null,
        ip: null,
        url: "https://partner.example/",
        request_headers: "h",
      },
      ...{ detail: null, status, error, secret_id: "s", response_excerpt: Buffer.from("e") },
      ...{ attempt_traceparent: null, state: decision.state, scheduled: decision.retry, elapsed_ms: elapsed },
      claim: first ? null : flight.due.claim,
    },
  }
}

/** After an outcome was recorded. `counts`: it was stored with its delivery, or its claim still existed. */
function follow(
  it: History,
  flight: InFlight,
  { id, number, decision }: Outcome,
  {
    stateBefore,
    counts,
    unpublished,
  }: { stateBefore: string | undefined; counts: boolean; unpublished: boolean },
): void {
  const { process, model, deliveries, waiting, used, notBefore, records } = it
  const made = flight.used + process.steady - flight.at
  const delays = schedule.delaysMs.slice(0, 1 + (flight.kind === "first" ? 0 : flight.due.failures))
  if (stateBefore !== "dead" && deliveries.get(id)?.state === "dead")
    check(made + (delays.at(-1) ?? 0) > schedule.periodMs, `${id} died before its retry period was over`)
  const row = waiting.get(id)
  if (!counts || decision.delay === null || row?.next !== model.clock.now + decision.delay) return
  used.set(id, made + decision.delay)
  notBefore.set(id, row.next)
  if (!unpublished) records.push({ delivery: id, attempt: number + 1 })
}

export async function store(
  it: History,
  flights: readonly InFlight[],
  step: Step & { do: "end" | "release" },
): Promise<void> {
  const { process, sql, erasures, model, deliveries, known, used } = it
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
    if (step.do === "end") return { ...outcomeOf(it, flight, step.response), flight, common, deferral: null }
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
    endClaim(it, each.flight)
    const id = known.get(each.common.event) ?? ""
    const counts = !repeated.includes(each)
    if (each.outcome)
      follow(
        it,
        each.flight,
        { ...each.outcome, id },
        { stateBefore: before.get(id), counts, unpublished: step.do === "end" && step.unpublished },
      )
    else if (counts) used.set(id, each.deferral?.elapsed ?? 0)
  }
}

export async function record(
  it: History,
  flights: readonly InFlight[],
  step: Step & { do: "end" },
): Promise<void> {
  const { process, sql, model, deliveries, waiting } = it
  const batch = new Map(
    flights.flatMap((flight) => (flight.kind === "claimed" ? [[flight.due.id, flight]] : [])),
  )
  const started = [...batch.values()].filter(({ at, claimed }) => at + claimed.startIn <= process.steady)
  if (started.length === 0) return
  const made = started.map((flight) => ({ flight, ...outcomeOf(it, flight, step.response) }))
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
    const stateBefore = deliveries.get(outcome.id)?.state
    const counts = waiting.get(outcome.id)?.lease === flight.claimed.lease
    model.record(outcome)
    if (model.locked.has(outcome.id)) continue
    endClaim(it, flight)
    follow(it, flight, outcome, { stateBefore, counts, unpublished: step.unpublished })
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
