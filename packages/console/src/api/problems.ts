import type { FieldError, Problem } from "./response.ts"

/**
 * `detail` states what is wrong, why, and what to do. It may repeat the caller's input, but never a secret.
 */
export function problem(status: number, detail: string, errors?: FieldError[]): Problem {
  return errors ? { kind: "problem", status, detail, errors } : { kind: "problem", status, detail }
}

export function invalidRequest(part: "body" | "query", errors: FieldError[]): Problem {
  return problem(400, `The request's ${part} is invalid. Correct these fields and try again.`, errors)
}

export function notFound(what: "channel" | "connection" | "delivery" | "job", id: string): Problem {
  return problem(404, `There is no ${what} "${id}". GET /v1/${plurals[what]} lists all ${plurals[what]}.`)
}

const plurals = { channel: "channels", connection: "connections", delivery: "deliveries", job: "jobs" }

/** For an id in a path that no resource can have. `why` states what is wrong with its format. */
export function impossibleId(why: string): Problem {
  return problem(404, `Nothing has this URL: ${why}.`)
}

export function unknownPath(): Problem {
  return problem(404, "Nothing has this URL. GET /openapi.json lists the paths of the API.")
}

export function methodNotAllowed(allowed: string): Problem {
  return problem(405, `This path does not support this method. Use one of: ${allowed}.`)
}

export function idTaken(what: "channel" | "connection", id: string): Problem {
  return problem(409, `The id "${id}" is taken by another ${what}. Choose another id, or omit it to get one.`)
}
