import { z } from "zod"

/** RFC 9457. The body of every error response of the management API and of the gateway. */
export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ description: "Kind of problem; `about:blank` if the status describes it fully." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional().meta({ description: "What is wrong, why, and what to do." }),
    errors: z
      .array(
        z.object({
          field: z
            .string()
            .meta({ description: "Name of the field, or its path with dots; `body` for the whole body." }),
          message: z.string().meta({ description: "What is wrong, with the field's name." }),
        }),
      )
      .optional()
      .meta({ description: "The invalid fields of the request." }),
  })
  .meta({ id: "Problem" })

export type Problem = z.infer<typeof problemSchema>
