import { parseTraceparent, type Traceparent, type Tracing } from "@sitewire/runtime"
import type { TriggerOutcome } from "../trigger/batchTriggers.ts"

const statuses = { accepted: 202, "not found": 404, unavailable: 503 }

export type TriggerSpan = {
  traceparent: Traceparent
  end(outcome: TriggerOutcome, connection: string | undefined): void
}

/**
 * The partner's context is a link and not the parent: the partner's choice of what it records must not decide what
 * this installation records.
 */
export function startTriggerSpan(
  tracing: Tracing,
  route: string,
  partner: string | string[] | undefined,
): TriggerSpan | null {
  const context = typeof partner === "string" ? partner : null
  const span = tracing.startTrace(`POST ${route}`, {
    kind: "server",
    attributes: { "http.request.method": "POST", "http.route": route },
    links: [context],
  })
  if (span === null) return null
  return {
    traceparent: span.traceparent,
    end(outcome, connection) {
      const accepted = outcome.status === "accepted"
      const traceId = parseTraceparent(context)?.traceId
      span.end({
        attributes: {
          "http.response.status_code": statuses[outcome.status],
          // The connection in any other request is whatever its caller wrote.
          ...(accepted && connection !== undefined ? { "sitewire.connection.id": connection } : {}),
          ...(accepted ? { "sitewire.correlation.id": outcome.correlation } : {}),
          // Stores of traces search for attributes and not for links.
          ...(traceId === undefined ? {} : { "sitewire.partner.trace_id": traceId }),
        },
        error: outcome.status === "unavailable" ? outcome.why : null,
      })
    },
  }
}
