import { setMaxListeners } from "node:events"
import type { Logger } from "@sitewire/runtime"
import { createAlarm } from "./alarm.ts"
import type { Claim, ClaimInput } from "./claimDue.ts"
import type { Completion, Finish } from "./finishRuns.ts"
import type { SchedulerMetrics } from "./metrics.ts"
import { type Places, placesOf, without } from "./places.ts"
import type { GrantedRun, Runner, SyncResult } from "./sync.ts"
import { longestTransitMs } from "./transitOf.ts"

/** What another scheduler has raised is noticed within this time; what this one has raised, at once. */
const longestSleepMs = 2_000

/** Kept back when a stop aborts what still runs, for recording that it was. */
const recordingReserveMs = 2_000

export type RunDueOptions = {
  /** Waits while Postgres is away; rejects for other reasons. */
  claim: (input: ClaimInput) => Promise<Claim>
  /** Waits while Postgres is away, also behind the stop; rejects for other reasons, and where the stop's time is over. */
  finish: (completion: Completion) => Promise<Finish>
  runners: Record<GrantedRun["runner"], Runner>
  maxRunning: number
  maxPerHost: number
  startGraceMs: number
  /** Aborted when the stop begins: nothing is started from then on. */
  stopping: AbortSignal
  metrics: Pick<SchedulerMetrics, "syncs" | "syncSeconds" | "triggerToSynced">
  log: Logger
}

export type RunDue = {
  /** A connection is due in so many milliseconds. */
  dueIn(ms: number): void
  running(): number
  /**
   * After the stop has begun: waits for what runs; near the deadline the rest is aborted and given up, so that another
   * scheduler takes it in the connection's next window. `drained` is false if something had to be aborted, or if an end
   * could not be recorded.
   */
  close(deadlineMs: number): Promise<{ drained: boolean }>
}

/**
 * Claims what is due and runs it, within the bounds. Sleeps until the earliest due time that it knows of (from its own
 * raises, its finishes and each claim's answer), so that a start is on time without asking Postgres all the time.
 */
export function runDue(options: RunDueOptions): RunDue {
  const { claim, finish, runners, maxRunning, maxPerHost, startGraceMs, stopping, metrics, log } = options
  const alarm = createAlarm()
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  const running = new Set<Promise<void>>()
  const taken: Places = { all: 0, hung: 0 }
  const takenOfHost = new Map<string, Places>()
  let limited = false
  let unrecorded = false

  async function loop(): Promise<void> {
    while (!stopping.aborted) {
      const sleepMs = await claimOnce()
      if (sleepMs > 0 && !stopping.aborted) await alarm.wait(sleepMs)
    }
  }

  /** Answers for how long to sleep. */
  async function claimOnce(): Promise<number> {
    const total = without(placesOf(maxRunning), taken)
    if (total.all <= 0) {
      limited = true
      return longestSleepMs
    }
    const perHost = placesOf(maxPerHost)
    const free = new Map([...takenOfHost].map(([host, places]) => [host, without(perHost, places)]))
    try {
      const claimed = await claim({ total, free, perHost })
      limited = claimed.limited
      for (const run of claimed.runs) begin(run, claimed.askedAt)
      if (claimed.more) return 0
      // What waits for its host is walked over by each claim: asking half of the time bounds what that can cost.
      if (limited) await rest(performance.now() - claimed.askedAt)
      return Math.min(longestSleepMs, claimed.nextDueInMs ?? longestSleepMs)
    } catch (error) {
      if (!stopping.aborted) log.error({ error }, "could not claim what is due; trying again")
      return longestSleepMs
    }
  }

  function begin(run: GrantedRun, askedAt: number): void {
    const ofHost = takenOfHost.get(run.host) ?? { all: 0, hung: 0 }
    takenOfHost.set(run.host, ofHost)
    const take = (places: Places, by: 1 | -1) => {
      places.all += by
      if (run.hung) places.hung += by
    }
    take(taken, 1)
    take(ofHost, 1)
    const ended = perform(run, askedAt).finally(() => {
      running.delete(ended)
      take(taken, -1)
      take(ofHost, -1)
      if (ofHost.all === 0) takenOfHost.delete(run.host)
      if (limited) alarm.within(0)
    })
    running.add(ended)
  }

  async function perform(run: GrantedRun, askedAt: number): Promise<void> {
    const { connection, fence, correlation } = run
    const context = { connection, fence, correlation }
    const startedAt = performance.now()
    log.info({ ...context, triggers: run.triggers, host: run.host }, "sync started")
    const { result, sentAfterMs } = await runWithinGrace(run, askedAt)
    const ms = Math.round(performance.now() - startedAt)
    const fields = { ...context, outcome: result.outcome, ms, ...describeResult(result) }
    try {
      const finished = await finish({ connection, fence, result, sentAfterMs })
      observe(result, ms, finished)
      if (finished.kind === "stale")
        log.warn(fields, "sync finished too late: a newer start had been granted")
      else log.info(fields, "sync finished")
      if (finished.kind === "recorded" && finished.dueInMs !== null) alarm.within(finished.dueInMs)
    } catch (error) {
      unrecorded = true
      log.error(
        { ...fields, error },
        "the end of a sync could not be recorded; it is due again after its lease",
      )
    }
  }

  /**
   * `not_before` was set for a request that is sent within the grace. A process that was stopped, or waited long for
   * Postgres's answer, may be beyond it; then the grant goes back, for a start that is granted anew. Name lookup,
   * connecting and TLS take time as well, so a run whose connection is not ready by then is ended. That counts as
   * failed, or a source that connects slowly would be started again and again. The runner asks once more when its
   * connection is ready, because a process can be stopped at any moment.
   */
  async function runWithinGrace(
    run: GrantedRun,
    askedAt: number,
  ): Promise<{ result: SyncResult; sentAfterMs: number | null }> {
    const isLate = () => performance.now() - askedAt > startGraceMs
    if (stopping.aborted || isLate()) {
      const error = stopping.aborted ? "stopped" : "late-start"
      return { result: { outcome: "abandoned", error }, sentAfterMs: null }
    }
    const start: { sentAfterMs: number | null; refused: boolean } = { sentAfterMs: null, refused: false }
    const mayStart = () => {
      start.refused ||= stopping.aborted || isLate()
      if (!start.refused) start.sentAfterMs = performance.now() - askedAt
      return !start.refused
    }
    const late = new AbortController()
    const onLate = () => {
      if (start.sentAfterMs !== null) return
      start.refused = true
      late.abort()
    }
    const timer = setTimeout(onLate, startGraceMs - (performance.now() - askedAt))
    const seenAfter = (transitMs: number) =>
      start.sentAfterMs === null ? null : start.sentAfterMs + transitMs
    try {
      const signal = AbortSignal.any([abort.signal, late.signal])
      const { result, transitMs } = await runners[run.runner](run, mayStart, signal)
      const neverSent = start.refused && !stopping.aborted
      return { result: neverSent ? lateStart(startGraceMs) : result, sentAfterMs: seenAfter(transitMs) }
    } catch (error) {
      log.error({ connection: run.connection, fence: run.fence, error }, "a sync broke")
      const detail = "see the error before this line"
      const result: SyncResult = { outcome: "failed", error: "internal", detail }
      return { result, sentAfterMs: seenAfter(longestTransitMs) }
    } finally {
      clearTimeout(timer)
    }
  }

  function observe(result: SyncResult, ms: number, finished: Finish): void {
    const stale = finished.kind === "stale"
    metrics.syncs.inc({ outcome: stale ? "stale" : result.outcome })
    if (stale) return
    metrics.syncSeconds.observe(ms / 1_000)
    if (finished.syncedMs === null) return
    metrics.triggerToSynced.observe({ kind: finished.waited }, Math.max(0, finished.syncedMs / 1_000))
  }

  stopping.addEventListener("abort", () => alarm.within(0))
  const looping = loop()

  async function drain(deadlineMs: number): Promise<{ drained: boolean }> {
    const timer = setTimeout(() => abort.abort(), Math.max(0, deadlineMs - recordingReserveMs))
    const ended = looping.then(() => Promise.all(running))
    await Promise.race([ended, rest(deadlineMs)])
    clearTimeout(timer)
    return { drained: !abort.signal.aborted && !unrecorded && running.size === 0 }
  }

  let closed: Promise<{ drained: boolean }> | undefined
  return {
    dueIn: (ms) => alarm.within(ms),
    running: () => running.size,
    close(deadlineMs) {
      closed ??= drain(deadlineMs)
      return closed
    },
  }
}

function lateStart(startGraceMs: number): SyncResult {
  const detail = `no connection to the source was ready within ${startGraceMs} ms, so no request was sent`
  return { outcome: "failed", error: "late-start", detail }
}

function describeResult(result: SyncResult): object {
  if ("detail" in result) return { reason: result.error, detail: result.detail }
  if ("error" in result) return { reason: result.error }
  return result.content === null ? {} : { bytes: result.content.bytes }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref())
}
