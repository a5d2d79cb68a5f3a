import type { DeferralReason } from "@sitewire/contracts"
import { type Channel, type DueDelivery, decide, type RetrySchedule } from "@sitewire/deliveries"
import type { Acquired, Limiter, PermitOutcome } from "@sitewire/limiter"
import { createRecordOutcome, type RecordParts } from "./record.ts"
import { type Attempted, type AttemptParts, createAttempt } from "./send/sendRequest.ts"
import type { Backlogs } from "./source/backlogs.ts"

export type HandleDeliveryParts = AttemptParts &
  RecordParts & {
    limiter: Pick<Limiter, "acquire" | "pause" | "isOpen">
    backlogs: Pick<Backlogs, "queueReason" | "onDeferred" | "backOff">
    schedule: RetrySchedule
  }

/**
 * What every attempt goes through: admit, send, decide, record. Resolves when the outcome is durable.
 *
 * A kill loses nothing: until its row is inserted, a new delivery is in Kafka, and is attempted again; a stored one is claimed again
 * when its lease has ended. A dead letter follows from the row (`startPublishingEnds`).
 */
export function createHandleDelivery(parts: HandleDeliveryParts): (due: DueDelivery) => Promise<void> {
  const { limiter, backlogs, schedule } = parts
  const attempt = createAttempt(parts)
  const record = createRecordOutcome(parts)

  async function defer(due: DueDelivery, reason: DeferralReason): Promise<void> {
    await record.defer(due, reason)
    backlogs.onDeferred(due.channel.channel_id, reason)
  }

  async function admit({
    channel,
    claim,
  }: DueDelivery): Promise<Acquired | { kind: "rejected"; reason: DeferralReason }> {
    const { channel_id: id } = channel
    if (channel.paused_at !== null) {
      limiter.pause(id)
      return { kind: "rejected", reason: "paused" }
    }
    // One that was deferred is no longer behind others.
    const queued = claim?.deferredAt ? null : reasonToQueue(channel)
    if (queued !== null) return { kind: "rejected", reason: limiter.isOpen(id) ? "breaker" : queued }
    const permit = await limiter.acquire(id)
    if (permit.kind === "acquired" && claim !== null && performance.now() > claim.attemptBefore) {
      permit.release("unknown")
      return { kind: "rejected", reason: "busy" }
    }
    return permit
  }

  /** All dispatchers share a channel's maximum rate by claiming its deliveries, so each is deferred first. */
  function reasonToQueue({ channel_id, max_per_second }: Channel): "busy" | "fault" | "rate" | null {
    const reason = backlogs.queueReason(channel_id)
    return max_per_second !== null && reason !== "fault" ? "rate" : reason
  }

  return async (due) => {
    const permit = await admit(due)
    if (permit.kind === "rejected") return defer(due, permit.reason)
    const { outcome, traceparent } = await attempt(due)
    permit.release(breakerOutcome(outcome))
    if (outcome === "fault") {
      backlogs.backOff(due.channel.channel_id)
      return defer(due, "fault")
    }
    if (outcome === null) {
      if (due.claim) await record.defer(due, "busy")
      throw new Error("the process is stopping; another process repeats the attempt")
    }
    // Measured before the outcome is recorded, because an outage of Postgres does not count towards the retry period.
    const elapsedMs = performance.now() - due.since
    const decision = decide(schedule, { failures: due.failures, elapsedMs }, outcome, new Date())
    await record.attempted(due, { outcome, decision, elapsedMs, traceparent })
  }
}

/**
 * How an attempt counts for the circuit breaker. An attempt that this process could not send (`fault`) or
 * aborted at its stop (null) does not count, because it says nothing about the partner.
 */
function breakerOutcome(outcome: Attempted["outcome"]): PermitOutcome {
  if (outcome === "fault" || outcome === null) return "unknown"
  return outcome.error === null ? "success" : "failure"
}
