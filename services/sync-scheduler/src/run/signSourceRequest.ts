import { sourceRequestHeaders } from "@sitewire/signing/sender"
import type { GrantedRun } from "@sitewire/syncs"

/**
 * Headers that name the connection and sign the request with its own secret. The signature covers method, URL and time: who
 * has captured it can request the same URL, for as long as the source accepts that time.
 */
export function signSourceRequest(
  { connection, fence, source: url }: Pick<GrantedRun, "connection" | "fence" | "source">,
  { serviceName, signingSecret }: { serviceName: string; signingSecret: string },
): Record<string, string> {
  const id = `${connection}_${fence}`
  const timestamp = Math.floor(Date.now() / 1_000)
  return {
    [`x-${serviceName.toLowerCase()}-connection`]: connection,
    ...sourceRequestHeaders({ id, timestamp, method: "GET", url, secrets: [signingSecret] }),
  }
}
