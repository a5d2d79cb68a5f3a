import type { Traceparent } from "@sitewire/runtime"
import type { GrantedRun, SyncResult } from "@sitewire/syncs"

/** `storingMs`: how long the run waited for our own Postgres, which is no slowness of the source. */
export type RunnerResult = { result: SyncResult; storingMs: number }

/**
 * Executes a run. It calls `mayStart` and writes the request without a callback in between, because windows are measured from what
 * `mayStart` sees. If `mayStart` returns false, the runner writes nothing. `traceparent`: the context of the run's span.
 */
export type Runner = (
  run: GrantedRun,
  mayStart: () => boolean,
  signal: AbortSignal,
  traceparent?: Traceparent | null,
) => Promise<RunnerResult>
