/** The context of a span in the text form of W3C Trace Context, 55 characters long. */
export type Traceparent = string

export type TraceIds = { traceId: string; spanId: string; sampled: boolean }

const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-|$)/

/**
 * Returns null for text that is not a traceparent. Version 00 ends after the flags. A later version may be longer, and
 * the W3C requires that its beginning is read like version 00.
 */
export function parseTraceparent(text: string | null | undefined): TraceIds | null {
  if (text === null || text === undefined || text.length < 55 || text.length > 512) return null
  const [, version, traceId, spanId, flags, rest] = form.exec(text) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === "00" && (rest !== "" || text.length !== 55)) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** Fields for a log line of a span. Empty if the trace is not recorded. */
export function traceFields(traceparent: Traceparent | null): { trace_id?: string; span_id?: string } {
  if (traceparent === null) return {}
  return { trace_id: traceparent.slice(3, 35), span_id: traceparent.slice(36, 52) }
}

/** Headers for a record or request that continues the trace. None if the trace is not recorded. */
export function traceHeaders(traceparent: Traceparent | null): { headers?: { traceparent: Traceparent } } {
  return traceparent === null ? {} : { headers: { traceparent } }
}
