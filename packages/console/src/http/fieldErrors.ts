import { describeIssue } from "@sitewire/contracts"
import type { z } from "zod"
import type { FieldError } from "./response.ts"

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
