import type { DueDelivery } from "@sitewire/deliveries"
import type { Span, Tracing } from "@sitewire/runtime"
import type { AttemptOutcome } from "./sendRequest.ts"

/** Continues the event's trace, and links to the previous attempt if this one is its retry. */
export function startAttemptSpan(tracing: Tracing, due: DueDelivery): Span | null {
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
export function endAttemptSpan(span: Span | null, outcome: AttemptOutcome | "fault" | null): void {
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
