import type { Installation } from "../startInstallation.ts"
import type { Member } from "../startMember.ts"
import type { RetrySchedule } from "./outboundFaults.ts"

/** Small, so that the bound on duplicates says something; the promise is the same for any number. */
const maxOutstanding = 32

/** Deliveries that a dispatcher may have outstanding: of new events, of retries, and of deferred ones that it has claimed. */
export const outstandingPerDispatcher = 3 * maxOutstanding

/** A dispatcher, not started yet. It reads `schedule` at each start. */
export function makeDispatcher(it: Installation, name: string, schedule: RetrySchedule): Member {
  return it.member(name, "services/webhook-dispatcher/src/main.ts", () => ({
    RETRY_DELAYS: schedule.delaysMs.map((delay) => `${delay}ms`).join(","),
    RETRY_PERIOD: "1h",
    // The sweep acts within the run.
    OVERDUE_AFTER: "5s",
    // A stop waits for attempts at partners that hang.
    DELIVERY_TIMEOUT: "3s",
    SEALING_KEYS: it.sealingKeys,
    ALLOW_HTTP: "true",
    ALLOWED_RANGES: "127.0.0.0/8",
    MAX_OUTSTANDING_RECORDS: String(maxOutstanding),
    CHANNEL_MAX_CONCURRENCY: "2",
    BREAKER_FAILURES: "4",
    BREAKER_COOLDOWN: "2s",
  }))
}
