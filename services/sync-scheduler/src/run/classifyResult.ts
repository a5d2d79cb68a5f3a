import type { PermitOutcome } from "@sitewire/limiter"
import type { SyncResult } from "@sitewire/syncs"

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

export function isSlow(result: SyncResult, ms: number, slowMs: number): boolean {
  if ("error" in result && timeLimits.has(result.error)) return true
  return hostOutcome(result) === "success" && ms >= slowMs
}
