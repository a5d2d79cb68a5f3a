import { z } from "zod"

/**
 * A record of a retry topic: a delivery's next attempt. The delivery's body stays in the database, where it
 * can be erased.
 */
export const retryRecordSchema = z
  .object({
    delivery: z
      .uuid()
      .meta({ description: "Id of the delivery.", examples: ["019aa000-0000-7000-8000-000000000000"] }),
    // 32 bits, like the column in Postgres. Postgres would reject a larger number, and the dispatcher would
    // then consume the record again and again.
    attempt: z
      .int32()
      .min(1)
      .meta({
        description:
          "Number of the attempt to make. If the delivery has that many attempts already, the record is obsolete and ignored.",
        examples: [2],
      }),
    failures: z
      .int32()
      .min(0)
      .meta({ description: "Failed attempts of the retry period; chooses the next delay.", examples: [1] }),
    correlation: z
      .string()
      .max(200)
      .meta({ description: "Id of the event in all log lines.", examples: ["order-10042"] }),
  })
  .meta({ id: "RetryRecord", description: "The next attempt of a delivery." })

export type RetryRecord = z.infer<typeof retryRecordSchema>
