import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import type { RetrySchedule } from "./outboundFaults.ts"

/**
 * How many records a dispatcher may have outstanding (read, but not finished). Small, because the number of
 * duplicates that faults may cause is proportional to it.
 */
const maxOutstanding = 32

/** Three times, because new events, retries, and claimed deferred deliveries each have their own limit. */
export const outstandingPerDispatcher = 3 * maxOutstanding

/** The dispatcher is not started yet. Each start uses the delays that `schedule` has then. */
export function makeDispatcher(
  it: ChaosInstallation,
  name: string,
  schedule: RetrySchedule,
): SupervisedProcess {
  return it.service(name, "dispatcher", () => ({
    RETRY_DELAYS: schedule.delaysMs.map((delay) => `${delay}ms`).join(","),
    OVERDUE_AFTER: "5s",
    // Short, because a dispatcher that stops waits for its attempts at hanging partners.
    DELIVERY_TIMEOUT: "3s",
    MAX_OUTSTANDING_RECORDS: String(maxOutstanding),
    CHANNEL_MAX_CONCURRENCY: "2",
    BREAKER_FAILURES: "4",
    BREAKER_COOLDOWN: "2s",
  }))
}
