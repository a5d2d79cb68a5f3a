import type { PermitOutcome } from "@sitewire/limiter"
import type { AttemptOutcome } from "./sendRequest.ts"

/**
 * How an attempt counts for the circuit breaker. An attempt that this process could not send (`fault`) or
 * aborted at its stop (null) does not count, because it says nothing about the partner.
 */
export function breakerOutcome(outcome: AttemptOutcome | "fault" | null): PermitOutcome {
  if (outcome === "fault" || outcome === null) return "unknown"
  return outcome.error === null ? "success" : "failure"
}
