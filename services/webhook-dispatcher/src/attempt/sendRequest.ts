import type { AttemptError } from "@sitewire/contracts"
import type { Egress, Excerpt, Timing } from "@sitewire/egress"
import type { DueDelivery, SealedSecret } from "../delivery.ts"
import { createDeliveryHeaders } from "./deliveryHeaders.ts"
import { describeRedirect } from "./describeRedirect.ts"

export type AttemptOutcome = {
  /** Null: a 2xx status arrived in time. */
  error: AttemptError | null
  detail: string | null
  status: number | null
  address: string | null
  timing: Timing
  excerpt: Excerpt | null
  retryAfter?: string
}

export type SendRequestSettings = {
  egress: Egress
  openSecret: (channelId: string, secret: SealedSecret) => string
  serviceName: string
  timeoutMs: number
}

export function createSendRequest({ egress, openSecret, serviceName, timeoutMs }: SendRequestSettings) {
  const deliveryHeaders = createDeliveryHeaders(serviceName)

  /** Returns null if the process's stop aborted the attempt. */
  return async function sendRequest(due: DueDelivery): Promise<AttemptOutcome | null> {
    const { standardWebhooks, address: url, ...channel } = due.channel
    const secret = openSecret(channel.id, channel.secret)
    const other = standardWebhooks && channel.otherSecret ? [openSecret(channel.id, channel.otherSecret)] : []
    const outcome = await egress.request({
      method: "POST",
      url,
      headers: deliveryHeaders(due, { secrets: [secret, ...other], standardWebhooks }),
      body: due.body,
      timeoutMs,
      // If a reused connection closes, the request is sent again at once, because receivers are idempotent.
      repeatable: true,
    })
    if (outcome.kind === "aborted") return null
    const { timing, ip: address = null } = outcome
    if (outcome.kind === "failed") {
      const { error, message } = outcome
      return { error, detail: message, status: null, address, timing, excerpt: null }
    }
    const { status, headers } = outcome
    return {
      error: status >= 200 && status < 300 ? null : "status",
      detail: describeRedirect(status, headers.location, url),
      status,
      address,
      timing,
      excerpt: outcome.excerpt,
      ...(headers["retry-after"] === undefined ? {} : { retryAfter: headers["retry-after"] }),
    }
  }
}

export type SendRequest = ReturnType<typeof createSendRequest>
