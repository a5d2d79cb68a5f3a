import {
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from "@opentelemetry/api"
import { parseTraceparent } from "../traceparent.ts"
import type { Span, SpanOptions, Tracing } from "../tracing.ts"

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
}

export type TracingWithOpenSpans = Tracing & {
  /** Ends the spans that have not ended, with the error `stopped`. Spans are sent only after their end. */
  endOpenSpans(): void
}

/** `rootRatio`: as `createSampler` returns it. */
export function createTracing(tracer: Tracer, rootRatio = 1): TracingWithOpenSpans {
  const openSpans = new Set<Span>()

  function start(parent: SpanContext | null, name: string, options: SpanOptions): Span | null {
    const { kind, attributes = {}, links = [], startedAt } = options
    const within = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    const recorded = tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes,
        ...(links.length > 0 ? { links: toLinks(links) } : {}),
        ...(startedAt === undefined ? {} : { startTime: startedAt }),
      },
      within,
    )
    if (!recorded.isRecording()) return null
    const { traceId, spanId } = recorded.spanContext()
    const span: Span = {
      traceparent: `00-${traceId}-${spanId}-01`,
      end({ attributes: last, error = null } = {}) {
        if (!openSpans.delete(span)) return
        if (last) recorded.setAttributes(last)
        if (error !== null) {
          recorded.setAttribute("error.type", error)
          recorded.setStatus({ code: SpanStatusCode.ERROR })
        }
        // With a start time of its own, a span would otherwise get its end from a clock that shows only milliseconds.
        recorded.end(startedAt === undefined ? undefined : performance.now())
      },
    }
    openSpans.add(span)
    return span
  }

  return {
    endOpenSpans() {
      for (const span of openSpans) span.end({ error: "stopped" })
    },
    startTrace(name, options) {
      const parent = readContext(options.parent)
      return parent === null && Math.random() >= rootRatio ? null : start(parent, name, options)
    },
    startSpan(parent, name, options) {
      const continued = readContext(parent)
      return continued === null ? null : start(continued, name, options)
    },
  }
}

function readContext(traceparent: string | null | undefined): SpanContext | null {
  const ids = parseTraceparent(traceparent)
  if (ids === null) return null
  const { traceId, spanId, sampled } = ids
  return { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true }
}

function toLinks(contexts: SpanOptions["links"] = []): Link[] {
  return contexts.flatMap((traceparent) => {
    const linked = readContext(traceparent)
    return linked === null ? [] : [{ context: linked }]
  })
}
