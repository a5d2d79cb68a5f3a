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

export function createTracing(tracer: Tracer, rootRatio = 1): Tracing {
  function start(parent: SpanContext | null, name: string, options: SpanOptions): Span | null {
    const { kind, attributes = {}, links = [] } = options
    const within = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
    const span = tracer.startSpan(
      name,
      { kind: kinds[kind], attributes, ...(links.length > 0 ? { links: toLinks(links) } : {}) },
      within,
    )
    if (!span.isRecording()) return null
    const { traceId, spanId } = span.spanContext()
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end({ attributes: last, error = null } = {}) {
        if (last) span.setAttributes(last)
        if (error !== null) {
          span.setAttribute("error.type", error)
          span.setStatus({ code: SpanStatusCode.ERROR })
        }
        span.end()
      },
    }
  }

  return {
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
