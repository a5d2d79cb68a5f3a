import type { Traceparent } from "./traceparent.ts"

/** Must contain no token, no URL, and nothing of an event except ids. */
export type SpanAttributes = Record<string, string | number | boolean>

export type SpanOptions = {
  kind: "server" | "client" | "producer" | "consumer" | "internal"
  attributes?: SpanAttributes
  /** Contexts of related spans that are not the parent. Null, undefined and invalid ones are ignored. */
  links?: readonly (Traceparent | null | undefined)[]
  /** When the span's work began, as `performance.now()` returned it. Default: now. */
  startedAt?: number
}

/** A span of a trace that is recorded. The others are null. */
export type Span = {
  /** The span's context, with which another span or another process continues the trace. */
  readonly traceparent: Traceparent
  /**
   * Does nothing if the span has ended. `error`: the class of the error, such as `timeout`, if the span's work failed.
   */
  end(outcome?: { attributes?: SpanAttributes; error?: string | null }): void
}

/** Both functions return null if the trace is not recorded. */
export type Tracing = {
  /**
   * Starts a span where work enters the installation. `parent`: the context that a trusted caller sent with the work. The
   * sampler decides whether the trace is recorded.
   */
  startTrace(name: string, options: SpanOptions & { parent?: Traceparent | undefined }): Span | null
  /** Starts a span within the trace of `parent`. Returns null if `parent` is null, invalid or of an unrecorded trace. */
  startSpan(parent: Traceparent | null, name: string, options: SpanOptions): Span | null
}

/** Records nothing. */
export const noTracing: Tracing = { startTrace: () => null, startSpan: () => null }

/** Attributes of the semantic conventions for the span that publishes a record. */
export function sendAttributes(topic: string): SpanAttributes {
  return describe("send", topic)
}

/** Attributes of the semantic conventions for the span that processes a record. */
export function processAttributes(record: {
  topic: string
  partition: number
  offset: string
}): SpanAttributes {
  return {
    ...describe("process", record.topic),
    "messaging.destination.partition.id": String(record.partition),
    "messaging.kafka.offset": Number(record.offset),
  }
}

function describe(operation: "send" | "process", topic: string): SpanAttributes {
  return {
    "messaging.system": "kafka",
    "messaging.operation.name": operation,
    "messaging.operation.type": operation,
    "messaging.destination.name": topic,
  }
}
