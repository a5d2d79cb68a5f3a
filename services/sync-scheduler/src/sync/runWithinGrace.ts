import type { SyncError } from "@sitewire/contracts"
import type { Logger, Traceparent } from "@sitewire/runtime"
import type { GrantedRun, Runner, SyncResult } from "../syncRun.ts"
import { longestTransitMs } from "./requestTransit.ts"

/** `sentAfterMs`: as in `Completion`. `storingMs`: as in `RunnerResult`. */
export type EndedRun = { result: SyncResult; sentAfterMs: number | null; storingMs: number }

export type RunWithinGraceOptions = {
  runners: Record<GrantedRun["runner"], Runner>
  startGraceMs: number
  stopping: AbortSignal
  abort: AbortSignal
  log: Logger
}

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
    const request: { sentAfterMs: number | null; forbidden: boolean } = {
      sentAfterMs: null,
      forbidden: false,
    }
    const mayStart = () => {
      request.forbidden ||= stopping.aborted || isLate()
      if (!request.forbidden) request.sentAfterMs = age()
      return !request.forbidden
    }
    const graceOver = new AbortController()
    const onGraceOver = () => {
      if (request.sentAfterMs !== null) return
      request.forbidden = true
      graceOver.abort()
    }
    const timer = setTimeout(onGraceOver, startGraceMs - age())
    const arrivedAfter = (transitMs: number) =>
      request.sentAfterMs === null ? null : request.sentAfterMs + transitMs
    try {
      const signal = AbortSignal.any([abort, graceOver.signal])
      const { result, transitMs, storingMs } = await runners[run.runner](run, mayStart, signal, traceparent)
      const wasLate = request.forbidden && request.sentAfterMs === null && !stopping.aborted
      const sentAfterMs = arrivedAfter(transitMs)
      return { result: wasLate ? lateStart(startGraceMs) : result, sentAfterMs, storingMs }
    } catch (error) {
      log.error(
        { connection: run.connection, fence: run.fence, error },
        "a sync failed with an internal error",
      )
      const detail = "an internal error, which the log line before this one describes"
      const result: SyncResult = { outcome: "failed", error: "internal", detail }
      return { result, sentAfterMs: arrivedAfter(longestTransitMs), storingMs: 0 }
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
