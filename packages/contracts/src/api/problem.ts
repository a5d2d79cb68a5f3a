import { z } from "zod"

/** RFC 9457. The body of an error response of the management API, of the gateway, or of a proxy in front of them. */
export const problemSchema = z.object({
  type: z
    .string()
    .describe(
      "A URL path of the console that explains this kind of problem. `about:blank`: the status describes it fully.",
    ),
  code: z
    .string()
    .optional()
    .describe("The cause, for programs. Codes are stable; GET /problems lists them."),
  title: z.string(),
  status: z.int(),
  detail: z.string().optional().describe("What is wrong, why, and what to do."),
  request_id: z
    .string()
    .optional()
    .describe("Identifies the request in the server's log. Equals `X-Request-Id`."),
  errors: z
    .array(
      z.object({
        field: z.string().describe("Name of the field, or its path with dots; `body` for the whole body."),
        message: z.string().describe("What is wrong, with the field's name."),
      }),
    )
    .optional()
    .describe("The invalid fields of the request."),
})

/** The management API's own error responses always have a code. */
export const apiProblemSchema = problemSchema.required({ code: true }).meta({ id: "Problem" })

export type Problem = z.infer<typeof problemSchema>
