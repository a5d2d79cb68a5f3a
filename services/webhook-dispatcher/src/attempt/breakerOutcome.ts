import type { PermitOutcome } from "@sitewire/limiter"
import type { AttemptOutcome } from "./sendRequest.ts"

/**
 * An attempt that this process could not send (`fault`) or aborted at its stop (null) says nothing about the
 * partner.
 */
export function breakerOutcome(outcome: AttemptOutcome | "fault" | null): PermitOutcome {
  if (outcome === "fault" || outcome === null) return "unknown"
  return outcome.error === null ? "success" : "failure"
}
