import type { DueDelivery } from "@sitewire/deliveries"
import { type Logger, type Span, type Traceparent, type Tracing, traceFields } from "@sitewire/runtime"
import type { AttemptOutcome, SendRequest } from "./sendRequest.ts"
import type { Network } from "./watchNetwork.ts"

export type AttemptParts = { send: SendRequest; network: Network; tracing: Tracing; log: Logger }

/**
 * `outcome`: "fault" if the attempt failed because of us, and not because of the partner. Null if the process's stop aborted it.
 * `traceparent`: the context of the attempt's span.
 */
export type Attempted = { outcome: AttemptOutcome | "fault" | null; traceparent: Traceparent | null }

/** Sends the request of a delivery, in a span of its own if its trace is recorded. */
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
      return outcome !== null && network.isOurFault(due.channel.id, outcome) ? "fault" : outcome
    } catch (error) {
      const { id: delivery, eventId: event, channel, attempt, correlation } = due
      log.error(
        { delivery, event, channel: channel.id, attempt, correlation, ...traceFields(traceparent), error },
        "an attempt could not be made; the delivery is deferred",
      )
      return "fault"
    }
  }
}

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
      "sitewire.channel.id": channel.id,
      "sitewire.attempt.number": attempt,
      "sitewire.correlation.id": correlation,
    },
  })
}

/** `null`: the process's stop aborted the attempt. */
function endAttemptSpan(span: Span | null, outcome: AttemptOutcome | "fault" | null): void {
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
