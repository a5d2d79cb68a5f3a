import type { AttemptRecord, Channel, DueDelivery } from "@sitewire/deliveries"
import type { Egress, Excerpt, Headers } from "@sitewire/egress"
import {
  type Logger,
  type Span,
  type Traceparent,
  type Tracing,
  traceFields,
  traceHeaders,
} from "@sitewire/runtime"
import { createDeliveryHeaders } from "@sitewire/signing/certification"
import { type ChannelOpener, hideValues, otherAsActive, redactExcerpt, shownHeaders } from "./secrets.ts"

/**
 * As it is stored. `error` is null if a 2xx status arrived in time. `url` may contain a credential of the partner, so it must not be
 * logged.
 */
export type AttemptOutcome = Pick<
  AttemptRecord,
  | ("error" | "detail" | "status" | "ip" | "url" | "request_headers" | "started_at" | "duration_ms")
  | ("lookup_ms" | "connect_ms" | "tls_ms" | "first_byte_ms")
> & {
  excerpt: Excerpt | null
  retryAfter?: string
  received?: Headers
}

/** By whose rules for addresses a channel is called. */
export type EgressOf = (channel: Pick<Channel, "partner_may_change_address">) => Egress

export type AttemptParts = {
  send: (due: DueDelivery, traceparent: Traceparent | null) => Promise<AttemptOutcome | null>
  network: { isOurFault: (channel: string, outcome: AttemptOutcome) => boolean }
  tracing: Tracing
  log: Logger
}

/**
 * `outcome`: "fault" if the attempt failed because of us, and not because of the partner. Null if the process's stop aborted it.
 * `traceparent`: the context of the attempt's span.
 */
export type Attempted = { outcome: AttemptOutcome | "fault" | null; traceparent: Traceparent | null }

export function createAttempt({ send, network, tracing, log }: AttemptParts) {
  return async function attempt(due: DueDelivery): Promise<Attempted> {
    const span = startAttemptSpan(tracing, due)
    const traceparent = span?.traceparent ?? null
    const outcome = await request(due, traceparent)
    endAttemptSpan(span, outcome)
    return { outcome, traceparent }
  }

  async function request(due: DueDelivery, traceparent: Traceparent | null): Promise<Attempted["outcome"]> {
    try {
      const outcome = await send(due, traceparent)
      return outcome !== null && network.isOurFault(due.channel.channel_id, outcome) ? "fault" : outcome
    } catch (error) {
      log.error(
        { ...describe(due, traceparent), error },
        "an attempt could not be made; the delivery is deferred",
      )
      return "fault"
    }
  }
}

export function describe(due: DueDelivery, span: Traceparent | null = due.traceparent) {
  const { id, eventId, channel, attempt, correlation } = due
  return {
    ...{ delivery: id, event: eventId, channel: channel.channel_id, attempt, correlation },
    ...traceFields(span),
  }
}

export type SendRequestSettings = {
  egressOf: EgressOf
  opener: ChannelOpener
  serviceName: string
  timeoutMs: number
}

export function createSendRequest({ egressOf, opener, serviceName, timeoutMs }: SendRequestSettings) {
  const deliveryHeaders = createDeliveryHeaders(serviceName)

  /** Returns null if the process's stop aborted the attempt. `test`: headers that are not shown, and what aborts the request. */
  return async function sendRequest(
    due: Pick<DueDelivery, "id" | "attempt" | "body" | "channel">,
    traceparent: Traceparent | null = null,
    test: { headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<AttemptOutcome | null> {
    const { channel } = due
    const { address: url, standard_webhooks: standardWebhooks } = channel
    const secret = opener.openSecret(channel)
    const other = standardWebhooks ? otherAsActive(channel) : null
    const partners = opener.openHeaders(channel)
    const own = {
      ...deliveryHeaders(due, {
        secrets: other ? [secret, opener.openSecret(other)] : [secret],
        standardWebhooks,
      }),
      ...(channel.send_traceparent ? traceHeaders(traceparent).headers : {}),
    }
    const request_headers = shownHeaders({ ...hideValues(partners), ...own })
    const outcome = await egressOf(channel).request({
      method: "POST",
      url,
      headers: { ...partners, ...own, ...test.headers },
      body: due.body,
      timeoutMs,
      // If a reused connection closes, the request is sent again at once, because receivers are idempotent.
      repeatable: true,
      ...(test.signal && { signal: test.signal }),
    })
    if (outcome.kind === "aborted") return null
    const { timing, ip = null } = outcome
    const made = {
      ...{ url, request_headers, ip },
      started_at: timing.startedAt,
      duration_ms: timing.totalMs,
      lookup_ms: timing.lookupMs ?? null,
      connect_ms: timing.connectMs ?? null,
      tls_ms: timing.tlsMs ?? null,
      first_byte_ms: timing.firstByteMs ?? null,
    }
    if (outcome.kind === "failed") {
      const { error, message } = outcome
      return { ...made, error, detail: message, status: null, excerpt: null }
    }
    const { status, headers: received } = outcome
    return {
      ...made,
      error: status >= 200 && status < 300 ? null : "status",
      detail: describeRedirect(status, received.location, url),
      status,
      excerpt: redactExcerpt(outcome.excerpt, partners),
      ...(received["retry-after"] === undefined ? {} : { retryAfter: received["retry-after"] }),
      received,
    }
  }
}

export type SendRequest = ReturnType<typeof createSendRequest>

/** Continues the event's trace, and links to the previous attempt if this one is its retry. */
function startAttemptSpan(tracing: Tracing, due: DueDelivery): Span | null {
  if (due.traceparent === null) return null
  const { id, eventId, channel, attempt, correlation, previousAttempt } = due
  const address = URL.parse(channel.address)
  return tracing.startSpan(due.traceparent, "attempt", {
    kind: "client",
    links: [previousAttempt],
    attributes: {
      "http.request.method": "POST",
      // Only the host: the path and the query may contain a credential of the partner.
      "server.address": address?.hostname ?? "",
      "server.port": Number(address?.port || (address?.protocol === "http:" ? 80 : 443)),
      "sitewire.delivery.id": id,
      "sitewire.event.id": eventId,
      "sitewire.channel.id": channel.channel_id,
      "sitewire.attempt.number": attempt,
      "sitewire.correlation.id": correlation,
    },
  })
}

function endAttemptSpan(span: Span | null, outcome: Attempted["outcome"]): void {
  if (outcome === null || outcome === "fault") {
    span?.end({ error: outcome ?? "stopped" })
    return
  }
  const { status, error } = outcome
  span?.end({
    attributes: {
      "sitewire.outcome": error ?? "delivered",
      ...(status === null ? {} : { "http.response.status_code": status }),
    },
    error: error === "status" ? String(status) : error,
  })
}

const longestHost = 260

/** Names only the origin, because the path may contain a credential. */
export function describeRedirect(status: number, location: string | undefined, from: string): string | null {
  if (status < 300 || status > 399 || location === undefined) return null
  const to = URL.parse(location, from)
  if (to === null || !/^https?:$/.test(to.protocol) || to.host.length > longestHost)
    return "redirects are not followed, and this one does not point to a web address"
  const target = to.origin === new URL(from).origin ? "another path of the same server" : to.origin
  return `redirects are not followed: this one points to ${target}; set the channel's address to the final one`
}
