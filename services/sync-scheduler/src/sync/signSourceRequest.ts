import { standardWebhooksHeaders } from "@sitewire/signing"
import type { GrantedRun } from "../syncRun.ts"

export type SignSourceRequestOptions = {
  serviceName: string
  signingSecret: string | undefined
}

/**
 * Headers that name the connection and sign the request, as in Standard Webhooks with an empty body. The
 * timestamp limits how long a captured signature is valid.
 */
export function signSourceRequest(
  { connection, fence }: Pick<GrantedRun, "connection" | "fence">,
  { serviceName, signingSecret }: SignSourceRequestOptions,
): Record<string, string> {
  const headers = { [`x-${serviceName.toLowerCase()}-connection`]: connection }
  if (signingSecret === undefined) return headers
  const id = `${connection}_${fence}`
  const timestamp = Math.floor(Date.now() / 1_000)
  return { ...headers, ...standardWebhooksHeaders({ id, timestamp, body: "", secrets: [signingSecret] }) }
}
