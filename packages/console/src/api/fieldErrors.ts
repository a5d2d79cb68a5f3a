import type { z } from "zod"
import type { FieldFault } from "./response.ts"

/** A schema's complaints, each with the field's name. They name rules and fields, and never repeat a value. */
export function fieldFaults(error: z.ZodError): FieldFault[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        field: [...issue.path, key].join("."),
        message: "is not known here",
      }))
    }
    return [{ field: issue.path.join(".") || "body", message: issue.message }]
  })
}
