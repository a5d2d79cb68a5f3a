import type { SitePaid } from "@sitewire/contracts"
import type { ConsumerRecord } from "@sitewire/kafka"
import { processAttributes, type Span, type Tracing } from "@sitewire/runtime"

export type EventOutcome = "accepted" | "duplicate" | "erased" | "invalid"

/** Continues the publisher's trace, or starts one. */
export function startEventSpan(tracing: Tracing, record: ConsumerRecord, paid: SitePaid): Span | null {
  return tracing.startTrace(`process ${record.topic}`, {
    kind: "consumer",
    parent: record.headers.traceparent,
    attributes: {
      ...processAttributes(record),
      "sitewire.event.id": paid.id,
      "sitewire.channel.id": paid.channel,
    },
  })
}

export function endEventSpan(span: Span | null, outcome: EventOutcome): void {
  span?.end({
    attributes: { "sitewire.outcome": outcome },
    error: outcome === "invalid" ? "invalid" : null,
  })
}
