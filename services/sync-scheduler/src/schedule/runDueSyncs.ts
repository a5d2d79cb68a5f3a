import { setMaxListeners } from "node:events"
import { type Logger, reasonOf } from "@sitewire/runtime"
import { createAlarm } from "./wakeTimer.ts"
import type { Claim, ClaimInput } from "./claimDueSyncs.ts"
import type { Failing } from "./claimSkippingBadRows.ts"
import type { Completion, Finish } from "../sync/finishRuns.ts"
import { type HostPermits, isSlow, seenOfHost } from "./hostLimiter.ts"
import type { SchedulerMetrics } from "../metrics.ts"
import type { GrantedRun, Runner, SyncResult } from "../syncRun.ts"
import { longestTransitMs } from "../sync/requestTransit.ts"

/** What another scheduler has raised is noticed within this time; what this one has raised, at once. */
const longestSleepMs = 2_000

/** Kept back when a stop aborts what still runs, for recording that it was. */
const recordingReserveMs = 2_000

export type RunDueOptions = {
  /** Waits while Postgres is away; rejects for other reasons. */
  claim: (input: ClaimInput) => Promise<Claim & { failing: Failing[] }>
  /** Waits while Postgres is away, also behind the stop; rejects for other reasons, and where the stop's time is over. */
  finish: (completion: Completion) => Promise<Finish>
  runners: Record<GrantedRun["runner"], Runner>
  permits: HostPermits
  /** A sync that takes longer makes its connection slow. */
  slowMs: number
  startGraceMs: number
  /** Claims fail, for all connections or for some; after that, that they work again. */
  onClaims: (working: boolean, why?: string) => void
  windowMs: number
  /** Aborted when the stop begins: nothing is started from then on. */
  stopping: AbortSignal
  metrics: Pick<
    SchedulerMetrics,
    "syncs" | "syncSeconds" | "triggerToSynced" | "claimFailures" | "unrecorded"
  >
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
  const { claim, finish, runners, permits, slowMs, startGraceMs, stopping, metrics, log } = options
  const alarm = createAlarm()
  const abort = new AbortController()
  setMaxListeners(0, abort.signal)
  const running = new Set<Promise<void>>()
  let limited = false
  let failedClaimAt = Number.NEGATIVE_INFINITY
  let unrecorded = false

  async function loop(): Promise<void> {
    while (!stopping.aborted) {
      const sleepMs = await claimOnce()
      if (sleepMs > 0 && !stopping.aborted) await alarm.wait(sleepMs)
    }
  }

  /** Answers for how long to sleep. */
  async function claimOnce(): Promise<number> {
    const input = permits.free(running.size)
    if (input.total.all <= 0) {
      limited = true
      return longestSleepMs
    }
    try {
      const claimed = await claim(input)
      limited = claimed.limited
      for (const run of claimed.runs) begin(run, claimed.age)
      reportClaim(claimed.failing)
      if (claimed.more) return 0
      // What waits for its host is walked by each claim: claiming half of the time bounds what that can cost.
      if (limited) await rest(Math.min(longestSleepMs, claimed.age()))
      return Math.min(longestSleepMs, claimed.nextDueInMs ?? longestSleepMs)
    } catch (error) {
      if (stopping.aborted) return longestSleepMs
      log.error({ error }, "could not claim what is due; trying again")
      failedClaimAt = performance.now()
      options.onClaims(false, `claims fail: ${reasonOf(error)}`)
      return longestSleepMs
    }
  }

  /** A row that fails is claimed again in its next window, so it is known to work when it has not failed in two. */
  function reportClaim(failing: readonly Failing[]): void {
    for (const { connection, error } of failing) {
      metrics.claimFailures.inc()
      log.error(
        { connection, reason: reasonOf(error) },
        "a connection's sync cannot be granted; others proceed",
      )
    }
    if (failing.length > 0) {
      failedClaimAt = performance.now()
      options.onClaims(false, `${failing.length} connections' syncs cannot be granted; the log names them`)
    } else if (performance.now() - failedClaimAt > 2 * options.windowMs) options.onClaims(true)
  }

  function begin(run: GrantedRun, age: () => number): void {
    const ended = perform(run, age).finally(() => {
      running.delete(ended)
      if (limited) alarm.within(0)
    })
    running.add(ended)
  }

  async function perform(run: GrantedRun, age: () => number): Promise<void> {
    const { connection, fence, grantId, correlation } = run
    const context = { connection, fence, correlation }
    const startedAt = performance.now()
    log.info({ ...context, triggers: run.triggers, host: run.host }, "sync started")
    const { result, sentAfterMs } = await runWithPermit(run, age)
    const ms = Math.round(performance.now() - startedAt)
    const slow = isSlow(result, ms, slowMs)
    const fields = { ...context, outcome: result.outcome, ms, ...describeResult(result) }
    try {
      const finished = await finish({ connection, fence, grantId, result, sentAfterMs, slow })
      if (finished.kind === "failed") throw finished.error
      observe(result, ms, finished)
      if (finished.kind === "stale")
        log.warn(fields, "sync finished too late: a newer start had been granted")
      else log.info(fields, "sync finished")
      if (finished.kind === "recorded" && finished.dueInMs !== null) alarm.within(finished.dueInMs)
    } catch (error) {
      unrecorded = true
      metrics.unrecorded.inc()
      log.error(
        { ...fields, error },
        "the end of a sync could not be recorded; it is due again after its lease",
      )
    }
  }

  /** The host's permit is released before the end is recorded: the host is idle then. */
  async function runWithPermit(run: GrantedRun, age: () => number): Promise<Ended> {
    const release = permits.acquire(run)
    if (release === null) return abandoned("busy")
    const ended = await runWithinGrace(run, age)
    release(seenOfHost(ended.result))
    return ended
  }

  /**
   * `window_ends_at` was set for a request that is sent within the grace. A process that was stopped, or waited long for
   * Postgres's answer, may be beyond it; then the grant goes back, for a start that is granted anew. Name lookup,
   * connecting and TLS take time as well, so a run whose connection is not ready by then is ended. That counts as
   * failed, or a source that connects slowly would be started again and again. The runner asks once more when its
   * connection is ready, because a process can be stopped at any moment.
   */
  async function runWithinGrace(run: GrantedRun, age: () => number): Promise<Ended> {
    const isLate = () => age() > startGraceMs
    if (stopping.aborted || isLate()) return abandoned(stopping.aborted ? "stopped" : "late-start")
    const start: { sentAfterMs: number | null; refused: boolean } = { sentAfterMs: null, refused: false }
    const mayStart = () => {
      start.refused ||= stopping.aborted || isLate()
      if (!start.refused) start.sentAfterMs = age()
      return !start.refused
    }
    const late = new AbortController()
    const onLate = () => {
      if (start.sentAfterMs !== null) return
      start.refused = true
      late.abort()
    }
    const timer = setTimeout(onLate, startGraceMs - age())
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

  function observe(result: SyncResult, ms: number, finished: Exclude<Finish, { kind: "failed" }>): void {
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

/** `sentAfterMs`: milliseconds since the grant was asked for. */
type Ended = { result: SyncResult; sentAfterMs: number | null }

/** It has sent nothing, so it has opened no window. */
function abandoned(error: string): Ended {
  return { result: { outcome: "abandoned", error }, sentAfterMs: null }
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
