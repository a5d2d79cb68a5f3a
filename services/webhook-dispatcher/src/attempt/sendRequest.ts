import type { AttemptError } from "@sitewire/contracts"
import type { Egress, Excerpt, Timing } from "@sitewire/egress"
import { sign, signatureHeader, standardWebhooksHeaders } from "@sitewire/signing"
import type { DueDelivery, SealedSecret } from "../delivery.ts"
import { describeRedirect } from "./describeRedirect.ts"
import { shownHeaders } from "./shownHeaders.ts"

export type AttemptOutcome = {
  /** Null: a 2xx status arrived in time. */
  error: AttemptError | null
  detail: string | null
  status: number | null
  address: string | null
  /** The URL that was called. It may contain a credential of the partner, so it must not be logged. */
  url: string
  requestHeaders: string
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
  const signature = signatureHeader(serviceName)

  /**
   * The headers of Standard Webhooks. During a rotation of the secret, they contain a signature with each of
   * the two secrets, so that the partner can switch at any time.
   */
  function standardHeaders({ id, channel, body }: DueDelivery, secret: string) {
    const other = channel.otherSecret ? [openSecret(channel.id, channel.otherSecret)] : []
    const timestamp = Math.floor(Date.now() / 1000)
    return standardWebhooksHeaders({ id, timestamp, body, secrets: [secret, ...other] })
  }

  /** Returns null if the process's stop aborted the attempt. */
  return async function sendRequest(due: DueDelivery): Promise<AttemptOutcome | null> {
    const { channel } = due
    const secret = openSecret(channel.id, channel.secret)
    const requestHeaders = {
      "content-type": "application/json",
      [signature]: sign(due.body, secret),
      [`X-${serviceName}-Delivery`]: due.id,
      [`X-${serviceName}-Attempt`]: String(due.attempt),
      ...(channel.standardWebhooks ? standardHeaders(due, secret) : {}),
    }
    const sent = { url: channel.address, requestHeaders: shownHeaders(requestHeaders) }
    const outcome = await egress.request({
      method: "POST",
      url: channel.address,
      headers: requestHeaders,
      body: due.body,
      timeoutMs,
      // If a reused connection closes, the request is sent again at once, because receivers are idempotent.
      repeatable: true,
    })
    if (outcome.kind === "aborted") return null
    const { timing, ip: address = null } = outcome
    if (outcome.kind === "failed") {
      const { error, message } = outcome
      return { error, detail: message, status: null, address, ...sent, timing, excerpt: null }
    }
    const { status, headers } = outcome
    return {
      error: status >= 200 && status < 300 ? null : "status",
      detail: describeRedirect(status, headers.location, channel.address),
      status,
      address,
      ...sent,
      timing,
      excerpt: outcome.excerpt,
      ...(headers["retry-after"] === undefined ? {} : { retryAfter: headers["retry-after"] }),
    }
  }
}

export type SendRequest = ReturnType<typeof createSendRequest>
