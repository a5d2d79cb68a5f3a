import { parseTraceparent, type Tracing } from "@sitewire/runtime"
import type { TriggerOutcome } from "../trigger/batchTriggers.ts"

const statuses = { accepted: 202, "not found": 404, unavailable: 503 }

export type TriggerSpan = ReturnType<typeof startTriggerSpan>

/**
 * Starts the span of a request whose token is valid: anybody could fill the trace store with others. `startedAt`: when the request
 * came, by `performance.now()`.
 *
 * The partner's context is a link and not the parent, because the partner must not decide what this installation records.
 */
export function startTriggerSpan(
  tracing: Tracing,
  request: {
    route: string
    connection: string
    partner: string | string[] | undefined
    startedAt: number
  },
) {
  const { route, connection, startedAt } = request
  const partner = typeof request.partner === "string" ? request.partner : null
  const span = tracing.startTrace(`POST ${route}`, {
    kind: "server",
    attributes: {
      "http.request.method": "POST",
      "http.route": route,
      "sitewire.connection.id": connection,
    },
    links: [partner],
    startedAt,
  })
  if (span === null) return null
  return {
    traceparent: span.traceparent,
    end(outcome: TriggerOutcome): void {
      const partnerTrace = parseTraceparent(partner)?.traceId
      span.end({
        attributes: {
          "http.response.status_code": statuses[outcome.status],
          ...(outcome.status === "accepted" ? { "sitewire.correlation.id": outcome.correlation } : {}),
          // Stores of traces search for attributes and not for links.
          ...(partnerTrace === undefined ? {} : { "sitewire.partner.trace_id": partnerTrace }),
        },
        error: outcome.status === "unavailable" ? outcome.why : null,
      })
    },
  }
}
