import { describeIssue, type ProblemCode, problemCodes } from "@sitewire/contracts"
import type { z } from "zod"
import type { FieldError, Problem } from "./response.ts"

/**
 * `detail` states what is wrong, why, and what to do, if the code's own texts do not. It may repeat the caller's input, but never a
 * secret.
 */
export function problem(code: ProblemCode, detail?: string, errors?: FieldError[]): Problem {
  const { status, meaning, remedy } = problemCodes[code]
  return {
    kind: "problem",
    code,
    status,
    detail: detail ?? `${meaning} ${remedy}`,
    ...(errors ? { errors } : {}),
  }
}

export function invalidRequest(part: "body" | "query" | "headers", errors: FieldError[]): Problem {
  const verb = part === "headers" ? "are" : "is"
  return problem(
    "invalid-request",
    `The request's ${part} ${verb} invalid. Correct these fields and try again.`,
    errors,
  )
}

/** One field breaks a rule. `message` contains its name. */
export function invalidField(part: "body" | "query" | "headers", field: string, message: string): Problem {
  return invalidRequest(part, [{ field, message }])
}

export function notFound(what: keyof typeof plurals, id: string): Problem {
  return problem(
    "not-found",
    `There is no ${what} "${id}". GET /v1/${plurals[what]} lists all ${plurals[what]}.`,
  )
}

const plurals = {
  channel: "channels",
  connection: "connections",
  delivery: "deliveries",
  job: "jobs",
  key: "keys",
  incident: "incidents",
  session: "sessions",
} as const

/** For an id in a path that no resource can have. `why` states what is wrong with its format. */
export function impossibleId(why: string): Problem {
  return problem("not-found", `Nothing has this URL: ${why}.`)
}

export function methodNotAllowed(allowed: string): Problem {
  return problem("method-not-allowed", `This path does not support this method. Use one of: ${allowed}.`)
}

export function idTaken(what: "channel" | "connection", id: string): Problem {
  return problem(
    "id-taken",
    `The id "${id}" is taken by another ${what}. Choose another id, or omit it to get one.`,
  )
}

/** For a key with site scopes that creates a connection of another site. */
export function siteNotAllowed(site: string): Problem {
  return problem(
    "missing-scope",
    `The API key may not create connections of the site "${site}". It needs the scope operate or site:${site}.`,
  )
}

/** The fields that a schema rejected. Messages name fields and rules, and never a value. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => {
        const field = [...issue.path, key].join(".")
        return { field, message: `${field} is not a field of this request: check its spelling, or remove it` }
      })
    }
    return [{ field: issue.path.join(".") || "body", message: describeIssue(issue, "body") }]
  })
}
