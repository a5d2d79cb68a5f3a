import type { SyncError } from "@sitewire/contracts"
import type { PermitOutcome } from "@sitewire/limiter"
import { type Logger, type Span, type Traceparent, type Tracing, traceFields } from "@sitewire/runtime"
import type { Completion, Finish, GrantedRun, SyncResult } from "@sitewire/syncs"
import type { HostLimiter } from "../claim/hostLimiter.ts"
import type { SchedulerMetrics } from "../metrics.ts"
import type { Runner, RunnerResult } from "./runner.ts"

/** `sentAfterMs`: as in `Completion`. */
type EndedRun = RunnerResult & { sentAfterMs: number | null }

export type RunSyncOptions = {
  runners: Record<GrantedRun["runner"], Runner>
  startGraceMs: number
  stopping: AbortSignal
  abort: AbortSignal
  /** Retries while Postgres is unavailable, until shortly before a stop's deadline. Rejects if Postgres rejects the values of the run. */
  finish: (completion: Completion) => Promise<Finish>
  hosts: HostLimiter
  tracing: Tracing
  metrics: Pick<SchedulerMetrics, "syncs" | "syncSeconds" | "triggerToSynced" | "unrecorded">
  log: Logger
}

/** `age`: milliseconds since the run's claim. */
export function createRunSync(options: RunSyncOptions) {
  const { finish, hosts, tracing, metrics, log } = options
  const runWithinGrace = createRunWithinGrace(options)

  async function runWithPermit(
    run: GrantedRun,
    age: () => number,
    traceparent: Traceparent | null,
  ): Promise<EndedRun> {
    const release = hosts.acquire(run)
    if (release === null) return abandonedRun("busy")
    const ended = await runWithinGrace(run, age, traceparent)
    // The permit is released before the end is recorded, because the host is idle already.
    release(hostOutcome(ended.result))
    return ended
  }

  function measure({ waitedFor }: GrantedRun, result: SyncResult, ms: number, finished: Finish): void {
    const stale = finished.kind === "stale"
    metrics.syncs.inc({ outcome: stale ? "stale" : result.outcome })
    if (stale) return
    metrics.syncSeconds.observe(ms / 1_000)
    if (finished.syncedMs === null) return
    metrics.triggerToSynced.observe({ kind: waitedFor }, Math.max(0, finished.syncedMs / 1_000))
  }

  return async (run: GrantedRun, age: () => number): Promise<Finish | { kind: "unrecorded" }> => {
    const { connection, fence, grantId, correlation } = run
    const span = startSyncSpan(tracing, run)
    const traceparent = span?.traceparent ?? null
    const context = { connection, fence, correlation, ...traceFields(traceparent) }
    const startedAt = performance.now()
    log.info({ ...context, triggers: run.triggers, host: run.host }, "sync started")
    const { result, sentAfterMs, storingMs } = await runWithPermit(run, age, traceparent)
    const ms = Math.round(performance.now() - startedAt)
    const slow = isSlow(result, ms - storingMs, hosts.slowMs())
    const fields = { ...context, outcome: result.outcome, ms, ...describeResult(result) }
    try {
      const finished = await finish({ connection, fence, grantId, result, sentAfterMs, slow, traceparent })
      measure(run, result, ms, finished)
      endSyncSpan(span, result, finished.kind === "stale")
      if (finished.kind === "recorded") log.info(fields, "sync finished")
      else
        log.warn(
          fields,
          "the result of a sync was discarded: a newer start was granted, or its connection was changed or deleted",
        )
      return finished
    } catch (error) {
      metrics.unrecorded.inc()
      span?.end({ error: "unrecorded" })
      log.error(
        { ...fields, error },
        "the end of a sync could not be recorded; it starts again after its lease",
      )
      return { kind: "unrecorded" }
    }
  }
}

/** A request that the source has not responded to is assumed to have arrived by then. The rest is the source's work. */
const longestTransitMs = 5_000

/**
 * Executes a granted run. It must send its request within the start grace, which is the only reserve in `window_ends_at`. A run that
 * starts late is abandoned and may start again at once. One whose network connection is not ready in time fails and uses up its
 * window, because a slow source would be called without a pause.
 */
function createRunWithinGrace(options: RunSyncOptions) {
  const { runners, startGraceMs, stopping, abort, log } = options

  return async (run: GrantedRun, age: () => number, traceparent: Traceparent | null): Promise<EndedRun> => {
    const isLate = () => age() > startGraceMs
    if (stopping.aborted || isLate()) return abandonedRun(stopping.aborted ? "stopped" : "late-start")
    const request: { writtenAfterMs: number | null; forbidden: boolean } = {
      writtenAfterMs: null,
      forbidden: false,
    }
    const mayStart = () => {
      request.forbidden ||= stopping.aborted || isLate()
      if (request.forbidden) return false
      request.writtenAfterMs = age()
      // Once more after the write, because the process may be suspended before it.
      process.nextTick(() => {
        request.writtenAfterMs = age()
      })
      return true
    }
    const graceOver = new AbortController()
    const onGraceOver = () => {
      if (request.writtenAfterMs !== null) return
      request.forbidden = true
      graceOver.abort()
    }
    const timer = setTimeout(onGraceOver, startGraceMs - age())
    const ended = (result: SyncResult, storingMs: number): EndedRun => {
      const { writtenAfterMs: ms } = request
      return { result, storingMs, sentAfterMs: ms === null ? null : Math.min(age(), ms + longestTransitMs) }
    }
    try {
      const signal = AbortSignal.any([abort, graceOver.signal])
      const { result, storingMs } = await runners[run.runner](run, mayStart, signal, traceparent)
      const wasLate = request.forbidden && request.writtenAfterMs === null && !stopping.aborted
      return ended(wasLate ? lateStart(startGraceMs) : result, storingMs)
    } catch (error) {
      log.error(
        { connection: run.connection, fence: run.fence, error },
        "a sync failed with an internal error",
      )
      const detail = "an internal error, which the log line before this one describes"
      return ended({ outcome: "failed", error: "internal", detail }, 0)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** An abandoned run that has sent no request uses up no window. */
function abandonedRun(error: SyncError): EndedRun {
  return { result: { outcome: "abandoned", error }, sentAfterMs: null, storingMs: 0 }
}

function lateStart(startGraceMs: number): SyncResult {
  const detail = `no connection to the source was ready within ${startGraceMs} ms, so no request was sent`
  return { outcome: "failed", error: "late-start", detail }
}

/** Continues the trace of the first trigger that is recorded, and links to the others and to failed runs before. */
function startSyncSpan(tracing: Tracing, run: GrantedRun): Span | null {
  const [first = null, ...others] = run.traceparents
  return tracing.startSpan(first, "sync", {
    kind: "client",
    links: others,
    attributes: {
      "http.request.method": run.runner === "pull" ? "GET" : "POST",
      "server.address": run.host.replace(/:\d+$/, ""),
      "sitewire.connection.id": run.connection,
      "sitewire.sync.fence": run.fence,
      "sitewire.sync.triggers": run.triggers,
      ...(run.correlation === null ? {} : { "sitewire.correlation.id": run.correlation }),
    },
  })
}

function endSyncSpan(span: Span | null, result: SyncResult, isStale: boolean): void {
  const outcome = isStale ? "stale" : result.outcome
  span?.end({
    attributes: { "sitewire.outcome": outcome },
    error: "error" in result ? result.error : null,
  })
}

function describeResult(result: SyncResult): object {
  if ("detail" in result) return { reason: result.error, detail: result.detail }
  if ("error" in result) return { reason: result.error }
  return result.content === null ? {} : { bytes: result.content.bytes }
}

const timeLimits = new Set(["timeout", "late-start"])
const hostFailures = new Set(["connect", "dns", "tls", "reset", ...timeLimits])
/** Errors that concern one connection only, because its host has responded. */
const responseErrors = new Set(["status", "too-large", "encoding", "site-full"])

/**
 * A response that began and did not end says nothing about the host: with a URL whose responses never end, one connection's owner
 * could otherwise stop the syncs of all others that have their source there.
 */
export function hostOutcome(result: SyncResult): PermitOutcome {
  if (result.outcome === "abandoned") return "unknown"
  if (!("error" in result)) return "success"
  if (result.responded) return "unknown"
  if (responseErrors.has(result.error)) return "success"
  return hostFailures.has(result.error) ? "failure" : "unknown"
}

function isSlow(result: SyncResult, ms: number, slowMs: number): boolean {
  if ("error" in result && timeLimits.has(result.error)) return true
  return hostOutcome(result) === "success" && ms >= slowMs
}
