import { z } from "zod"

/**
 * A record of `site.ready.dead`: a delivery is dead, so no retry follows. The delivery's body stays in the
 * database, where it can be erased.
 */
export const deadLetterSchema = z
  .object({
    delivery: z.uuid(),
    channel: z.string(),
    attempts: z.int().min(0),
    since: z.iso.datetime().meta({ description: "Start of the retry period." }),
    last_error: z.string().meta({
      description:
        "Error class of the last attempt. not-attempted: no attempt was possible. channel-deleted: an operator deleted the channel.",
    }),
    last_status: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the last attempt. null: there was no response." }),
    correlation: z.string().max(200),
  })
  .meta({
    id: "DeadLetter",
    description: "A delivery is dead: its retry period ended, or its channel was deleted.",
  })

export type DeadLetter = z.infer<typeof deadLetterSchema>
