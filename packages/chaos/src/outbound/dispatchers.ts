import type { SupervisedProcess } from "@sitewire/installation"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import type { RetrySchedule } from "./outboundFaults.ts"

/** Small, so that the bound on duplicates is strict. */
const maxOutstanding = 32

/** How many deliveries a dispatcher may have outstanding: new events, retries, and claimed deferred deliveries. */
export const outstandingPerDispatcher = 3 * maxOutstanding

/** A dispatcher that is not started yet. It reads `schedule` at each start. */
export function makeDispatcher(
  it: ChaosInstallation,
  name: string,
  schedule: RetrySchedule,
): SupervisedProcess {
  return it.service(name, "dispatcher", () => ({
    RETRY_DELAYS: schedule.delaysMs.map((delay) => `${delay}ms`).join(","),
    OVERDUE_AFTER: "5s",
    // Short, because a stop waits for attempts at hanging partners.
    DELIVERY_TIMEOUT: "3s",
    MAX_OUTSTANDING_RECORDS: String(maxOutstanding),
    CHANNEL_MAX_CONCURRENCY: "2",
    BREAKER_FAILURES: "4",
    BREAKER_COOLDOWN: "2s",
  }))
}
