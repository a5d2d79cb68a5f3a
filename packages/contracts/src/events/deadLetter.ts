import { z } from "zod"

/**
 * A record of `site.ready.dead`: a delivery is dead, so no retry follows. The delivery's body stays in the
 * database, where it can be erased.
 */
export const deadLetterSchema = z
  .object({
    delivery: z
      .uuid()
      .meta({ description: "Id of the delivery.", examples: ["019aa000-0000-7000-8000-000000000000"] }),
    channel: z.string().meta({ description: "Id of the channel.", examples: ["acme"] }),
    attempts: z
      .int()
      .min(0)
      .meta({ description: "Number of the last attempt.", examples: [10] }),
    since: z.iso
      .datetime()
      .meta({ description: "Start of the retry period.", examples: ["2026-03-01T12:00:00.000Z"] }),
    last_error: z.string().meta({
      description:
        "Error class of the last attempt. not-attempted: no attempt was possible. channel-deleted: an operator deleted the channel.",
      examples: ["status"],
    }),
    last_status: z
      .int()
      .nullable()
      .meta({
        description: "HTTP status of the last attempt. null: there was no response.",
        examples: [503],
      }),
    correlation: z
      .string()
      .max(200)
      .meta({ description: "Id of the event in all log lines.", examples: ["order-10042"] }),
  })
  .meta({
    id: "DeadLetter",
    description: "A delivery is dead: its retry period ended, or its channel was deleted.",
  })

export type DeadLetter = z.infer<typeof deadLetterSchema>
