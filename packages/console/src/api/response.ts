/** An invalid field of a request, as a problem document lists it. `message` contains the field's name. */
export type FieldError = { field: string; message: string }

export type Success<Body> = { kind: "ok"; body: Body; headers?: Record<string, string> }

type Alternative = { kind: "alternative"; status: number; body: object }

/** `chunks` is null for a response without a body (304, HEAD). */
type Stream = {
  kind: "stream"
  status: number
  headers: Record<string, string>
  chunks: AsyncIterable<Uint8Array> | null
}

export type Problem = { kind: "problem"; status: number; detail: string; errors?: FieldError[] }

/** What a handler returns. Expected failures are problems; handleErrors.ts maps exceptions to 503 or 500. */
export type RouteResponse<Body = unknown> = Success<Body> | Alternative | Stream | Problem

export function ok<Body>(body: Body, headers?: Record<string, string>): Success<Body> {
  return headers ? { kind: "ok", body, headers } : { kind: "ok", body }
}
