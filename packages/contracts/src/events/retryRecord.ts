import { z } from "zod"

/**
 * A record of a retry topic: a timer for a delivery's next attempt. All that is known about the delivery stays in the database,
 * where it can be erased.
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
          "Number of the attempt that is due. If the delivery does not wait for this attempt, the record is ignored.",
        examples: [2],
      }),
  })
  .meta({ id: "RetryRecord", description: "An attempt of a delivery is due." })

export type RetryRecord = z.infer<typeof retryRecordSchema>
