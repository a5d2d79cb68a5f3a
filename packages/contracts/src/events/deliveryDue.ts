import { z } from "zod"

/**
 * A delivery's next attempt, as it waits in a retry topic. It names the delivery and carries no body:
 * the body stays in the database, so that personal data is in one erasable place.
 */
export const deliveryDueSchema = z
  .object({
    delivery: z.uuid(),
    // As large as Postgres keeps it: what it refuses would come again for ever.
    attempt: z.int32().min(1).meta({
      description: "Number of the attempt to make. Not above the row's count of attempts: stale, dropped.",
    }),
    failures: z
      .int32()
      .min(0)
      .meta({ description: "Failed attempts since `since`; chooses the next delay." }),
    since: z.iso
      .datetime()
      .meta({ description: "Start of the retry period: the event's arrival, or the resend." }),
    correlation: z.string().max(200),
  })
  .meta({ id: "DeliveryDue", description: "The next attempt of a delivery." })

export type DeliveryDue = z.infer<typeof deliveryDueSchema>
