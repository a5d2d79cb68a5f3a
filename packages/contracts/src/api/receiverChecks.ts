import { z } from "zod"
import { attemptErrorSchema, attemptSchema } from "./deliveries.ts"

/** How long a check may wait for a webhook-dispatcher. Later, its requester no longer expects it. */
export const claimableMs = 30_000

export const testDeliverySchema = z
  .object({
    delivery: z.uuid().describe("The id that was sent in X-Sitewire-Delivery. It is not in the list."),
    attempt: attemptSchema,
  })
  .meta({ id: "TestDelivery", description: "A delivery with fictional data, and what came back." })

/** What a dispatcher stores of a challenge. Nothing of the response but its status: a partner has chosen the address. */
export const challengeReportSchema = z.object({
  status: z.int().nullable(),
  /** Null: the receiver returned the challenge. */
  error: z.enum([...attemptErrorSchema.options, "not-returned"]).nullable(),
})

export const secretTestSchema = z.object({
  at: z.iso.datetime().describe("When the test was requested."),
  status: z.int().nullable().describe("null: there was no response."),
  error: attemptErrorSchema
    .nullable()
    .describe(
      "Why the receiver did not accept the secret: `status` for a status other than 2xx. null: it did.",
    ),
})

export type TestDelivery = z.infer<typeof testDeliverySchema>
export type ChallengeReport = z.infer<typeof challengeReportSchema>
