/** A fault of one field of a request, as a problem document lists it. */
export type FieldFault = { field: string; message: string }

export type Success<Body> = { kind: "ok"; body: Body; headers?: Record<string, string> }

/** A success of another kind than the route's usual one. */
type Other = { kind: "other"; status: number; body: object }

/** `chunks` is null where only the headers are wanted (304, HEAD). */
type Stream = {
  kind: "stream"
  status: number
  headers: Record<string, string>
  chunks: AsyncIterable<Uint8Array> | null
}

export type Problem = { kind: "problem"; status: number; detail: string; errors?: FieldFault[] }

/** What a route's handler returns: expected outcomes are values, and what is thrown is a 503 or a 500. */
export type Answer<Body = unknown> = Success<Body> | Other | Stream | Problem

export function ok<Body>(body: Body, headers?: Record<string, string>): Success<Body> {
  return headers ? { kind: "ok", body, headers } : { kind: "ok", body }
}

/** `detail` says what happened, why, and what to do. It may name what the caller sent, never a secret. */
export function problem(status: number, detail: string, errors?: FieldFault[]): Problem {
  return errors ? { kind: "problem", status, detail, errors } : { kind: "problem", status, detail }
}

export function notFound(what: "channel" | "connection" | "delivery" | "job", id: string): Problem {
  return problem(404, `There is no ${what} "${id}". The list of ${plurals[what]} shows those that there are.`)
}

const plurals = { channel: "channels", connection: "connections", delivery: "deliveries", job: "jobs" }

export function taken(what: "channel" | "connection", id: string): Problem {
  return problem(
    409,
    `There is a ${what} "${id}" already. Choose another id, or leave it out to be given one.`,
  )
}
