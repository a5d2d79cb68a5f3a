import type { Traceparent } from "./traceparent.ts"

export type SpanAttributes = Record<string, string | number | boolean>

/** Attributes must contain no token, no URL, and nothing of an event except ids. */
export type SpanOptions = {
  kind: "server" | "client" | "producer" | "consumer" | "internal"
  attributes?: SpanAttributes
  /** Contexts of other spans. Invalid ones are ignored. */
  links?: readonly (Traceparent | null | undefined)[]
}

/** A recorded span. */
export type Span = {
  /** To continue the trace in another span or process. */
  readonly traceparent: Traceparent
  /** `error`: the class of the error, if the span's work failed. */
  end(outcome?: { attributes?: SpanAttributes; error?: string | null }): void
}

/** Functions return null for a span that is not recorded. Contexts are passed as arguments and stored in rows. */
export type Tracing = {
  /**
   * Starts where work enters the installation. `parent` is the context that a trusted caller sent; the sampler decides
   * whether the trace is recorded.
   */
  startTrace(name: string, options: SpanOptions & { parent?: Traceparent | undefined }): Span | null
  /** Continues a recorded trace. */
  startSpan(parent: Traceparent | null, name: string, options: SpanOptions): Span | null
}

export const noTracing: Tracing = { startTrace: () => null, startSpan: () => null }
