import type { z } from "zod"

/**
 * Replaces zod's messages by messages that a caller of the API understands. A message continues a field's
 * name: "is required", "must be a string". Passed to `safeParse` as `error`; messages that a schema sets
 * itself take precedence. No message quotes a value, because values can be personal data or secrets.
 */
export function validationMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined
        ? "is required"
        : `must be ${typeNames[issue.expected] ?? issue.expected}`
    case "invalid_value":
      return `must be ${listOf(issue.values.map(String))}`
    case "invalid_format":
      return `must be ${formatNames[issue.format] ?? "in the documented format"}`
    case "too_small":
      return boundMessage(issue.origin, "at least", Number(issue.minimum))
    case "too_big":
      return boundMessage(issue.origin, "at most", Number(issue.maximum))
    case "unrecognized_keys":
      return "has unknown fields"
    default:
      return "is invalid"
  }
}

const typeNames: Record<string, string> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
}

const formatNames: Record<string, string> = {
  email: "one e-mail address",
  url: "an http or https URL, such as https://shop.example",
  hostname: "a host name without scheme or path, such as shop.example",
  uuid: "a UUID",
}

function boundMessage(origin: string, bound: "at least" | "at most", count: number): string {
  if (origin !== "string") return `must be ${bound} ${count}`
  if (bound === "at least" && count === 1) return "must not be empty"
  return `must have ${bound} ${count} characters`
}

function listOf(values: readonly string[]): string {
  const last = values.at(-1) ?? ""
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`
}

/**
 * An issue as a clause with its field's name: "email is required". `whole` is the name if the issue has no
 * field.
 */
export function describeIssue({ path, message }: z.core.$ZodIssue, whole: string): string {
  return `${path.join(".") || whole} ${message}`
}
