import type { DeferralReason } from "@sitewire/contracts"
import { type DueDelivery, decide, type RetrySchedule, steadyClock } from "@sitewire/deliveries"
import type { PermitOutcome } from "@sitewire/limiter"
import { type AdmitParts, createAdmit } from "./admit/admit.ts"
import { createRecordOutcome, type RecordParts } from "./record/recordOutcome.ts"
import { type AttemptParts, createAttempt } from "./send/attempt.ts"
import type { AttemptOutcome } from "./send/sendRequest.ts"

export type HandleDeliveryParts = AdmitParts &
  AttemptParts &
  RecordParts & {
    backlog: {
      onDeferred: (channel: string, reason: DeferralReason) => void
      /** Called after a fault: leaves the channel to other processes for a while. */
      backOff: (channel: string) => void
    }
    schedule: RetrySchedule
  }

/**
 * What every attempt goes through: admit, send, decide, record. Resolves when the outcome is durable.
 *
 * A kill loses nothing: until its row is inserted, a new delivery is in Kafka, and is attempted again; a stored one is claimed again
 * when its lease has ended. A dead letter follows from the row (`startPublishingEnds`).
 */
export function createHandleDelivery(parts: HandleDeliveryParts): (due: DueDelivery) => Promise<void> {
  const { backlog, schedule } = parts
  const admit = createAdmit(parts)
  const attempt = createAttempt(parts)
  const record = createRecordOutcome(parts)

  async function defer(due: DueDelivery, reason: DeferralReason): Promise<void> {
    await record.defer(due, reason)
    backlog.onDeferred(due.channel.id, reason)
  }

  return async (due) => {
    const permit = await admit(due)
    if (permit.kind === "rejected") return defer(due, permit.reason)
    const { outcome, traceparent } = await attempt(due)
    permit.release(breakerOutcome(outcome))
    if (outcome === "fault") {
      backlog.backOff(due.channel.id)
      return defer(due, "fault")
    }
    if (outcome === null) {
      if (due.claim) await record.defer(due, "busy")
      throw new Error("the process is stopping; another process repeats the attempt")
    }
    // Measured before the outcome is recorded, because an outage of Postgres does not count towards the retry period.
    const elapsedMs = steadyClock.now() - due.since
    const decision = decide(schedule, { failures: due.failures, elapsedMs }, outcome, new Date())
    await record.attempted(due, { outcome, decision, elapsedMs, traceparent })
  }
}

/**
 * How an attempt counts for the circuit breaker. An attempt that this process could not send (`fault`) or
 * aborted at its stop (null) does not count, because it says nothing about the partner.
 */
function breakerOutcome(outcome: AttemptOutcome | "fault" | null): PermitOutcome {
  if (outcome === "fault" || outcome === null) return "unknown"
  return outcome.error === null ? "success" : "failure"
}
