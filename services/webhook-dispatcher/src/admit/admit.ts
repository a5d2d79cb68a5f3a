import type { DeferralReason } from "@sitewire/contracts"
import type { Channel, DueDelivery } from "@sitewire/deliveries"
import type { Acquired, Limiter } from "@sitewire/limiter"

export type AdmitParts = {
  limiter: Pick<Limiter, "acquire" | "pause" | "isOpen">
  backlog: {
    /** Why a delivery of the channel must wait behind deferred ones. */
    queueReason: (channel: string) => "busy" | "fault" | null
  }
}

export type Admission = Acquired | { kind: "rejected"; reason: DeferralReason }

/** Decides whether the delivery may be attempted now. */
export function createAdmit({ limiter, backlog }: AdmitParts) {
  return async function admit({ channel, claim }: DueDelivery): Promise<Admission> {
    if (channel.paused) {
      limiter.pause(channel.id)
      return { kind: "rejected", reason: "paused" }
    }
    // One that was deferred is no longer behind others.
    const queued = claim?.deferredAt ? null : reasonToQueue(channel)
    if (queued !== null) return { kind: "rejected", reason: limiter.isOpen(channel.id) ? "breaker" : queued }
    const permit = await limiter.acquire(channel.id)
    if (permit.kind === "acquired" && claim !== null && performance.now() > claim.attemptBefore) {
      permit.release("unknown")
      return { kind: "rejected", reason: "busy" }
    }
    return permit
  }

  /** All dispatchers share a channel's maximum rate by claiming its deliveries, so each is deferred first. */
  function reasonToQueue({ id, maxPerSecond }: Channel): "busy" | "fault" | "rate" | null {
    const reason = backlog.queueReason(id)
    return maxPerSecond !== null && reason !== "fault" ? "rate" : reason
  }
}
