import { z } from "zod"
import { channelSchema } from "./channels.ts"
import { listedSyncSchema } from "./connections.ts"
import { attemptSchema, deferralReasonSchema, listedDeliverySchema } from "./deliveries.ts"
import { identifierSchema } from "./identifier.ts"
import { jobSchema } from "./jobs.ts"

export const streamEventSchema = z.enum(["delivery", "sync", "channel", "job"])
export type StreamEvent = z.infer<typeof streamEventSchema>

export const streamQuerySchema = z.strictObject({
  event: streamEventSchema
    .optional()
    .describe("Only events of this kind. Default: all that the API key may see."),
  channel: identifierSchema.optional().describe("Only this channel and its deliveries."),
  connection: identifierSchema.optional().describe("Only syncs of this connection."),
})

export const streamedDeliverySchema = listedDeliverySchema
  .omit({ last_error: true, last_status: true, waiting_for: true, dead_reason: true, site_url: true })
  .extend({
    deferred_reason: deferralReasonSchema.nullable(),
    last_attempt: attemptSchema
      .pick({ number: true, started_at: true, duration_ms: true, status: true, error: true })
      .nullable(),
  })

export const streamedSyncSchema = listedSyncSchema.omit({
  first_trigger_at: true,
  last_trigger_at: true,
  content_sha256: true,
})

export const streamedChannelSchema = channelSchema.pick({ id: true, paused_at: true, updated_at: true })

export const streamedJobSchema = jobSchema.pick({
  id: true,
  kind: true,
  state: true,
  counts: true,
  created_at: true,
  finished_at: true,
})

export type StreamedDelivery = z.infer<typeof streamedDeliverySchema>
export type StreamedSync = z.infer<typeof streamedSyncSchema>
export type StreamedChannel = z.infer<typeof streamedChannelSchema>
export type StreamedJob = z.infer<typeof streamedJobSchema>
