import { z } from "zod"

/** RFC 9457. Every error of the management API and of the gateway has this shape. */
export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ description: "What kind of problem; `about:blank` where the status says it all." }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional().meta({ description: "What happened, why, and what to do." }),
    errors: z
      .array(
        z.object({
          field: z.string().meta({ description: "Name, or path with dots; `body` for the body as a whole." }),
          message: z.string(),
        }),
      )
      .optional()
      .meta({ description: "The faults of a request's fields." }),
  })
  .meta({ id: "Problem" })

export type Problem = z.infer<typeof problemSchema>
