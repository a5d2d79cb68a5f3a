import { z } from "zod"
import { syncSchema } from "./connections.ts"
import { attemptErrorSchema, deferralReasonSchema, deliveryStateSchema } from "./deliveries.ts"
import { identifierSchema } from "./identifier.ts"
import { jobKindSchema, jobStateSchema } from "./jobs.ts"
import { syncOutcomeSchema } from "./statistics.ts"

export const streamEventSchema = z.enum(["delivery", "sync", "channel", "job"])
export type StreamEvent = z.infer<typeof streamEventSchema>

export const streamQuerySchema = z.strictObject({
  event: streamEventSchema.optional().meta({
    description: "Only events of this kind. Default: all that the API key may see.",
    examples: ["delivery"],
  }),
  channel: identifierSchema.optional().meta({
    description: "Only this channel and its deliveries.",
    examples: ["acme"],
  }),
  connection: identifierSchema.optional().meta({
    description: "Only syncs of this connection.",
    examples: ["bakery"],
  }),
})

export const streamedDeliverySchema = z.object({
  id: z.uuid(),
  event_id: z.string(),
  reference: z
    .string()
    .nullable()
    .describe("Of its body, with e-mail addresses masked. null: it has none, or the delivery was erased."),
  channel: z.string(),
  state: deliveryStateSchema,
  attempts: z.int(),
  next_attempt_at: z.iso.datetime().nullable(),
  deferred_at: z.iso.datetime().nullable(),
  deferred_reason: deferralReasonSchema.nullable(),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  last_attempt: z
    .object({
      number: z.int(),
      started_at: z.iso.datetime(),
      duration_ms: z.number(),
      status: z.int().nullable(),
      error: attemptErrorSchema.nullable(),
    })
    .nullable(),
})

export const streamedSyncSchema = z.object({
  connection: z.string(),
  site: z.string(),
  fence: z.int(),
  started_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
  outcome: syncOutcomeSchema,
  error: z.string().nullable(),
  status: syncSchema.shape.status,
  reason: syncSchema.shape.reason,
  triggers: z.int(),
  bytes: z.int().nullable(),
})

export const streamedChannelSchema = z.object({
  id: z.string(),
  paused_at: z.iso.datetime().nullable(),
  updated_at: z.iso.datetime(),
})

export const streamedJobSchema = z.object({
  id: z.string(),
  kind: jobKindSchema,
  state: jobStateSchema,
  counts: z.record(z.string(), z.int()),
  created_at: z.iso.datetime(),
  finished_at: z.iso.datetime().nullable(),
})

export type StreamedDelivery = z.infer<typeof streamedDeliverySchema>
export type StreamedSync = z.infer<typeof streamedSyncSchema>
export type StreamedChannel = z.infer<typeof streamedChannelSchema>
export type StreamedJob = z.infer<typeof streamedJobSchema>
