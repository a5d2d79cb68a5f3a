import type { SyncError } from "@sitewire/contracts"
import type { Logger, Traceparent } from "@sitewire/runtime"
import type { GrantedRun, SyncResult } from "@sitewire/syncs"
import type { Runner, RunnerResult } from "./runner.ts"

/** `sentAfterMs`: as in `Completion`. */
export type EndedRun = RunnerResult & { sentAfterMs: number | null }

export type RunWithinGraceOptions = {
  runners: Record<GrantedRun["runner"], Runner>
  startGraceMs: number
  stopping: AbortSignal
  abort: AbortSignal
  log: Logger
}

/** A request that the source has not responded to is assumed to have arrived by then. The rest is the source's work. */
const longestTransitMs = 5_000

/**
 * Executes a granted run. It must send its request within the start grace, which is the only reserve in
 * `window_ends_at`. A run that starts late, as after a suspend of the machine, is abandoned and may start
 * again at once. A run whose network connection is not ready in time fails and uses up its window, because
 * otherwise a slow source would be called without a pause.
 */
export function createRunWithinGrace(options: RunWithinGraceOptions) {
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
export function abandonedRun(error: SyncError): EndedRun {
  return { result: { outcome: "abandoned", error }, sentAfterMs: null, storingMs: 0 }
}

function lateStart(startGraceMs: number): SyncResult {
  const detail = `no connection to the source was ready within ${startGraceMs} ms, so no request was sent`
  return { outcome: "failed", error: "late-start", detail }
}
