import { z } from "zod"

/** `site.ready.dead`: a delivery whose retry period ended. It names the delivery; the body stays in the database. */
export const deadLetterSchema = z
  .object({
    delivery: z.uuid(),
    channel: z.string(),
    attempts: z.int().min(0),
    since: z.iso.datetime(),
    last_error: z.string().meta({ description: "Error class of the last attempt." }),
    last_status: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the last attempt, if there was an answer." }),
    correlation: z.string().max(200),
  })
  .meta({ id: "DeadLetter", description: "A delivery was given up after its retry period." })

export type DeadLetter = z.infer<typeof deadLetterSchema>
