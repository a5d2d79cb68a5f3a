import type { Logger, Tracing } from "@sitewire/runtime"
import { createIngestTriggers } from "./intake/ingestTriggers.ts"
import type { SchedulerMetrics } from "./metrics.ts"
import { createHostLimiter } from "./schedule/hostLimiter.ts"
import { runDueSyncs } from "./schedule/runDueSyncs.ts"
import type { Store } from "./store.ts"
import { createRecordEnd } from "./sync/recordEnd.ts"
import type { GrantedRun, Runner, WindowSettings } from "./syncRun.ts"

export type SchedulerParts = {
  windows: WindowSettings
  maxRunning: number
  maxPerHost: number
  store: Pick<Store, "recordTriggers" | "claim" | "finishRuns">
  runners: Record<GrantedRun["runner"], Runner>
  /** Called with false when claims fail for some or all connections, and with true when they work again. */
  onClaims: (working: boolean, why?: string) => void
  /** Called if trigger records could not be stored in Postgres. Their offsets are then not committed. */
  onIngestFailed: (error: unknown) => void
  stopping: AbortSignal
  /** Aborted shortly before the deadline of a stop. */
  expiring: AbortSignal
  metrics: SchedulerMetrics
  tracing: Tracing
  log: Logger
}

export function createScheduler(parts: SchedulerParts) {
  const { windows, maxRunning, maxPerHost, store, runners, onClaims, onIngestFailed } = parts
  const { stopping, expiring, metrics, tracing, log } = parts
  const hosts = createHostLimiter({
    maxRunning,
    maxPerHost,
    deadlineMs: windows.deadlineMs,
    windowMs: windows.windowMs,
    onBreaker(host, state, failures) {
      if (state === "closed") log.info({ host }, "a source host can be reached again")
      else
        log.warn({ host, failures }, "a source host cannot be reached; its syncs wait until a probe succeeds")
    },
  })
  const ends = createRecordEnd({ finishRuns: store.finishRuns, expiring, log })
  const syncs = runDueSyncs({
    claim: store.claim,
    finish: ends.record,
    lockedEnds: ends.locked,
    runners,
    hosts,
    startGraceMs: windows.startGraceMs,
    onClaims,
    stopping,
    metrics,
    tracing,
    log,
  })
  const ingest = createIngestTriggers({
    recordTriggers: store.recordTriggers,
    onRecorded({ triggers, dueInMs }) {
      metrics.triggers.inc(triggers)
      if (dueInMs !== null) syncs.dueIn(dueInMs)
    },
    onInvalid: () => metrics.invalidRecords.inc(),
    onFailed: onIngestFailed,
    tracing,
    log,
  })
  return {
    ingest,
    running: syncs.running,
    openBreakers: hosts.openBreakers,
    fullHosts: hosts.full,
    close: syncs.close,
  }
}
