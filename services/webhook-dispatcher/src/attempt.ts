import type { AttemptError } from "@sitewire/contracts"
import type { Egress, Timing } from "@sitewire/egress"
import { sign, signatureHeader } from "@sitewire/signing"
import type { Channel, DueDelivery } from "./delivery.ts"

export type AttemptOutcome = {
  /** Null: delivered, a 2xx status came in time. */
  error: AttemptError | null
  status: number | null
  address: string | null
  timing: Timing
  excerpt: Buffer | null
  retryAfter?: string
}

export type AttemptSettings = {
  egress: Egress
  openSecret: (channel: Channel) => string
  serviceName: string
  timeoutMs: number
}

/** Makes attempts: signs the stored bytes and posts them to where the channel's address points now. */
export function createAttempt({ egress, openSecret, serviceName, timeoutMs }: AttemptSettings) {
  const signature = signatureHeader(serviceName)

  /** Returns null where the process's stop ended the attempt: it says nothing about the partner. */
  return async function attempt(due: DueDelivery): Promise<AttemptOutcome | null> {
    const outcome = await egress.request({
      method: "POST",
      url: due.channel.address,
      headers: {
        "content-type": "application/json",
        [signature]: sign(due.body, openSecret(due.channel)),
        [`X-${serviceName}-Delivery`]: due.id,
        [`X-${serviceName}-Attempt`]: String(due.attempt),
      },
      body: due.body,
      timeoutMs,
      // Receivers are idempotent by contract, so a kept connection that closes under the request costs no retry.
      repeatable: true,
    })
    if (outcome.kind === "aborted") return null
    const { timing, address = null } = outcome
    if (outcome.kind === "failed")
      return { error: outcome.error, status: null, address, timing, excerpt: null }
    const { status, headers } = outcome
    const received = outcome.excerpt.received()
    return {
      error: status >= 200 && status < 300 ? null : "status",
      status,
      address,
      timing,
      excerpt: received.length > 0 ? received : null,
      ...(headers["retry-after"] === undefined ? {} : { retryAfter: headers["retry-after"] }),
    }
  }
}

export type Attempt = ReturnType<typeof createAttempt>
