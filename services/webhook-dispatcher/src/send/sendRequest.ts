import type { AttemptError } from "@sitewire/contracts"
import type { Channel, DueDelivery } from "@sitewire/deliveries"
import type { Egress, Excerpt, Timing } from "@sitewire/egress"
import { type Traceparent, traceHeaders } from "@sitewire/runtime"
import { createDeliveryHeaders } from "@sitewire/signing/certification"
import type { ChannelOpener } from "./openSecrets.ts"
import { hideValues, redactExcerpt, shownHeaders } from "./shownHeaders.ts"

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

/** By whose rules for addresses a channel is called. */
export type EgressOf = (channel: Pick<Channel, "partnerMayChangeAddress">) => Egress

export type SendRequestSettings = {
  egressOf: EgressOf
  opener: ChannelOpener
  serviceName: string
  timeoutMs: number
}

export function createSendRequest({ egressOf, opener, serviceName, timeoutMs }: SendRequestSettings) {
  const deliveryHeaders = createDeliveryHeaders(serviceName)

  /** Returns null if the process's stop aborted the attempt. `traceparent`: the context of the attempt's span. */
  return async function sendRequest(
    due: DueDelivery,
    traceparent: Traceparent | null = null,
  ): Promise<AttemptOutcome | null> {
    const { standardWebhooks, address: url, ...channel } = due.channel
    const secret = opener.openSecret(channel.id, channel.secret)
    const other =
      standardWebhooks && channel.otherSecret ? [opener.openSecret(channel.id, channel.otherSecret)] : []
    const partners = opener.openHeaders(channel)
    const own = {
      ...deliveryHeaders(due, { secrets: [secret, ...other], standardWebhooks }),
      ...(channel.sendTraceparent ? traceHeaders(traceparent).headers : {}),
    }
    const sent = { url, requestHeaders: shownHeaders({ ...hideValues(partners), ...own }) }
    const outcome = await egressOf(channel).request({
      method: "POST",
      url,
      headers: { ...partners, ...own },
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
    const { status, headers: responseHeaders } = outcome
    return {
      error: status >= 200 && status < 300 ? null : "status",
      detail: describeRedirect(status, responseHeaders.location, url),
      status,
      address,
      ...sent,
      timing,
      excerpt: redactExcerpt(outcome.excerpt, partners),
      ...(responseHeaders["retry-after"] === undefined ? {} : { retryAfter: responseHeaders["retry-after"] }),
    }
  }
}

export type SendRequest = ReturnType<typeof createSendRequest>

const longestHost = 260

/**
 * Tells the partner where a redirect leads. Names only the origin, because the path may contain a credential.
 */
export function describeRedirect(status: number, location: string | undefined, from: string): string | null {
  if (status < 300 || status > 399 || location === undefined) return null
  const to = URL.parse(location, from)
  if (to === null || !/^https?:$/.test(to.protocol) || to.host.length > longestHost)
    return "redirects are not followed, and this one does not point to a web address"
  const target = to.origin === new URL(from).origin ? "another path of the same server" : to.origin
  return `redirects are not followed: this one points to ${target}; set the channel's address to the final one`
}
