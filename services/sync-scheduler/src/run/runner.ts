import { openRequestHeaders, type SealingKeys, sealContexts, unseal } from "@sitewire/database"
import { reasonOf, type Traceparent } from "@sitewire/runtime"
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

/** `requestHeaders`: sent beside our own headers. `signingSecret`: signs the requests. Never logged. */
export type Credentials = { signingSecret: string; requestHeaders: Record<string, string> }

export type OpenCredentials = (
  run: Pick<GrantedRun, "connection" | "signingSecret" | "requestHeaders">,
) => { kind: "opened"; credentials: Credentials } | { kind: "failed"; result: SyncResult }

/** Decrypts the credentials of one run. If their key is missing, that run fails, and no other. */
export function createOpenCredentials(keys: SealingKeys): OpenCredentials {
  return (run) => {
    try {
      const signingSecret = unseal(keys, sealContexts.connectionSecret(run.connection), run.signingSecret)
      const context = sealContexts.sourceHeaders(run.connection)
      const requestHeaders = openRequestHeaders(keys, context, run.requestHeaders)
      return { kind: "opened", credentials: { signingSecret, requestHeaders } }
    } catch (error) {
      const detail = `the connection's credentials cannot be decrypted: ${reasonOf(error)}`
      return { kind: "failed", result: { outcome: "failed", error: "sealing-key", detail } }
    }
  }
}
