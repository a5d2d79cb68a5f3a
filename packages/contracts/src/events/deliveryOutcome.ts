import { z } from "zod"
import { deadLetterSchema } from "./deadLetter.ts"

const { delivery, channel, correlation, last_error, last_status } = deadLetterSchema.shape

/**
 * A record of `site.ready.outcome`: a delivery has ended. It may end more than once, because it can be resent: `ended_at`
 * ascends. Its key is the event's id.
 */
export const deliveryOutcomeSchema = z
  .object({
    event_id: z.string().meta({ description: "`id` of the `site.paid`.", examples: ["order-10042"] }),
    delivery,
    channel,
    state: z.enum(["delivered", "dead", "cancelled", "erased"]).meta({
      description:
        "delivered: the partner accepted it. dead: no retry follows. cancelled: an operator ended it. erased: an erasure covers it, so nothing more is sent.",
      examples: ["delivered"],
    }),
    attempts: z
      .int()
      .min(0)
      .meta({ description: "Attempts so far.", examples: [1] }),
    ended_at: z.iso.datetime().meta({
      description: "When this was stored. Of two records of one delivery, the later one is valid.",
      examples: ["2026-03-01T12:00:00.250Z"],
    }),
    last_error: last_error
      .nullable()
      .meta({ ...last_error.meta(), description: "Of a dead delivery, as in site.ready.dead." }),
    last_status,
    correlation,
  })
  .meta({ id: "DeliveryOutcome", description: "What became of a delivery." })

export type DeliveryOutcome = z.infer<typeof deliveryOutcomeSchema>
