import type { RetryRecord } from "@sitewire/contracts"
import { deliveryIdOf, lowestDeliveryId } from "@sitewire/contracts"
import * as real from "../../src/index.ts"
import { begin, chosenFlights, endClaim, kill, record, store } from "./attempts.ts"
import { check, dayMs, type History, pick, same, startOfTime } from "./history.ts"
import { leaseMs, schedule } from "./referenceModel.ts"
import { events, type Step } from "./steps.ts"

const today = Date.parse("2030-01-02T00:00:00Z")
const claimSettings = { leaseMs, attemptWithinMs: 20_000 }

type Steps<Kind extends Step["do"]> = {
  [One in Kind]: (step: Step & { do: One }) => Promise<unknown> | unknown
}
type ClockStep = "pass" | "passUntilDue" | "passUntilLeaseEnds" | "setClock"
type OperatorStep = "resend" | "cancel" | "erase" | "pause" | "resume" | "deleteChannel"
type AttemptStep = "consume" | "claim" | "wake" | "end" | "release" | "kill"
type PollStep = Exclude<Step["do"], ClockStep | OperatorStep | AttemptStep>

/** What each step does, to the database and to the model. */
export const performs = (it: History): Steps<Step["do"]> => ({
  ...attempts(it),
  ...polls(it),
  ...clocks(it),
  ...operators(it),
})

function attempts(it: History): Steps<AttemptStep> {
  const { sql, process, model, waiting, known, inFlight, records, deferredChannel, pass } = it
  return {
    consume({ by, event: index, again }) {
      const delivery = newDelivery(index % events, again)
      if (known.has(delivery.eventId) && !again) return
      inFlight.add({
        kind: "first",
        by,
        delivery,
        since: performance.now(),
        at: process.steady,
        used: 0,
      })
    },
    async claim({ by, waiting: index, most, fromNow, lost }) {
      const channel = deferredChannel(index)
      const from = fromNow ? model.clock.now : 0
      const due = await real.claimDeferred(sql, [{ channel, limit: most, from }], claimSettings)
      begin(it, by, due, model.claimDeferred(channel, most, from), lost)
    },
    async wake({ by, records: indexes, onTime, lost, ahead }) {
      const isWaited = ({ delivery, attempt }: RetryRecord) =>
        waiting.get(delivery)?.next && waiting.get(delivery)?.attempts === attempt - 1
      const chosen = onTime ? records.filter(isWaited) : records
      const picked = indexes.flatMap((index) => pick(chosen, index))
      const wakes = [...new Map(picked.map((wake) => [wake.delivery, wake])).values()].map((wake) =>
        ahead ? { ...wake, attempt: wake.attempt + 1 } : wake,
      )
      if (wakes.length === 0) return
      const waitMs = Math.min(
        ...wakes.map(({ delivery }) => (waiting.get(delivery)?.next ?? 0) - model.clock.now),
      )
      if (onTime && waitMs > 0) await pass(waitMs)
      begin(it, by, await real.claimScheduled(sql, wakes, claimSettings), model.claimScheduled(wakes), lost)
    },
    async end(step) {
      const flights = chosenFlights(it, step.flight, step.most)
      for (let times = step.twice ? 2 : 1; times > 0; times--) {
        await store(it, flights, step)
        await record(it, flights, step)
      }
    },
    async release(step) {
      const flights = chosenFlights(it, step.flight, 1)
      await store(it, flights, step)
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
        if (!model.locked.has(id)) endClaim(it, flight)
      }
    },
    kill: ({ by }) => kill(it, by),
  }
}

function polls(it: History): Steps<PollStep> {
  const { sql, pool, statements, model, deliveries, waiting, claims, notBefore, used, deferredChannel } = it
  return {
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
      const ordered = (list: typeof expected) => list.toSorted((a, b) => (a.delivery < b.delivery ? -1 : 1))
      const found = expired.map(({ delivery, died }) => ({ delivery, died }))
      same(ordered(found), ordered(expected), "expired")
      for (const { delivery: id } of expected)
        check((used.get(id) ?? 0) > schedule.periodMs, `${id} expired before its retry period was over`)
    },
    async endDeleted() {
      const expected = [...model.channels].flatMap(([channel, { deleted }]) => {
        const ended = deleted ? model.endDeleted(channel) : 0
        return ended > 0 ? [{ channel, ended }] : []
      })
      const found = await real.endDeleted(sql, 1_000)
      same(
        found.toSorted((a, b) => (a.channel < b.channel ? -1 : 1)),
        expected.toSorted((a, b) => (a.channel < b.channel ? -1 : 1)),
        "ended",
      )
    },
    async deleteOld() {
      const signal = new AbortController().signal
      statements.executed += 1
      await real.deleteOldDeliveries({ pool, before: new Date(today), batch: 10, pauseMs: 0, signal })
      model.deleteOld(lowestDeliveryId(today))
      for (const name of [used, notBefore, claims])
        for (const key of name.keys()) if (!deliveries.has(key.slice(0, 36))) name.delete(key)
    },
  }
}

function clocks(it: History): Steps<ClockStep> {
  const { model, waiting, pass, setClock } = it
  return {
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
  }
}

function operators(it: History): Steps<OperatorStep> {
  const { sql, model, notBefore, used, trace, ids, idsAt, transaction } = it
  return {
    async resend({ deliveries: indexes }) {
      const ids = idsAt(indexes)
      const job = `job_${trace.length}`
      const expected = model.resend(ids, job)
      same(await transaction((own) => real.resend(own, ids, job)), expected, "resent")
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
      }
    },
    async erase({ deliveries: indexes }) {
      const ids = idsAt(indexes)
      const job = `job_${trace.length}`
      if (ids.length > 0) await transaction((own) => real.erase(own, ids, job))
      for (const id of ids) model.erase(id, job)
    },
    pause: ({ channel }) => setPaused(it, channel, true),
    resume: ({ channel }) => setPaused(it, channel, false),
    async deleteChannel({ channel }) {
      const row = model.channels.get(channel)
      if (!row || row.deleted) return
      row.deleted = true
      await sql("delete from channel where id = $1", [channel])
      await sql("insert into deleted_channel (id) values ($1)", [channel])
    },
  }
}

async function setPaused({ model, sql }: History, channel: string, paused: boolean): Promise<void> {
  const row = model.channels.get(channel)
  if (row) row.paused = paused
  await sql("update channel set paused_at = case when $2 then now() end where id = $1", [channel, paused])
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
