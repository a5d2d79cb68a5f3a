import { openRequestHeaders, type SealingKeys, sealContexts, unseal } from "@sitewire/database"
import { reasonOf } from "@sitewire/runtime"
import type { GrantedRun, SyncResult } from "@sitewire/syncs"

/** `requestHeaders`: sent beside our own headers. `signingSecret`: signs the requests. Never logged. */
export type Credentials = { signingSecret: string; requestHeaders: Record<string, string> }

export type OpenCredentials = (
  run: Pick<GrantedRun, "connection" | "sealed">,
) => { kind: "opened"; credentials: Credentials } | { kind: "failed"; result: SyncResult }

/** Decrypts the credentials of one run. If their key is missing, that run fails, and no other. */
export function createOpenCredentials(keys: SealingKeys): OpenCredentials {
  return ({ connection, sealed }) => {
    try {
      const signingSecret = unseal(keys, sealContexts.connectionSecret(connection), sealed.signingSecret)
      const context = sealContexts.sourceHeaders(connection)
      const requestHeaders = openRequestHeaders(keys, context, sealed.requestHeaders)
      return { kind: "opened", credentials: { signingSecret, requestHeaders } }
    } catch (error) {
      const detail = `the connection's credentials cannot be decrypted: ${reasonOf(error)}`
      return { kind: "failed", result: { outcome: "failed", error: "sealing-key", detail } }
    }
  }
}
