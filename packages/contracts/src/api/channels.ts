import { z } from "zod"
import { calledUrl } from "../values/httpUrl.ts"
import { identifierSchema } from "./identifier.ts"

export const createChannelSchema = z
  .strictObject({
    id: identifierSchema.optional().meta({ description: "Your choice. Default: generated." }),
    address: calledUrl.meta({
      description: "The partner's notification address: https, on a public host. Stored in normalised form.",
    }),
  })
  .meta({ id: "CreateChannel" })

export const changeChannelSchema = z
  .strictObject({
    address: createChannelSchema.shape.address.optional(),
    standard_webhooks: z.boolean().optional().meta({
      description:
        "Also send webhook-id, webhook-timestamp and webhook-signature (standardwebhooks.com). During a rotation the signature is by both secrets.",
    }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "must contain address or standard_webhooks",
  })
  .meta({ id: "ChangeChannel", minProperties: 1 })

export const otherSecretStateSchema = z.enum(["staged", "retiring"])

export const channelSchema = z
  .object({
    id: z.string(),
    address: z.string(),
    secret_id: z.string().meta({
      description: "Id of the active signing secret, by which X-Sitewire-Signature is made.",
    }),
    other_secret: z.object({ id: z.string(), state: otherSecretStateSchema }).nullable().meta({
      description:
        "The second secret of a rotation. staged: not active yet. retiring: the previously active one.",
    }),
    standard_webhooks: z.boolean().meta({ description: "Whether Standard Webhooks headers are sent too." }),
    paused_at: z.iso.datetime().nullable().meta({
      description: "Since when an operator has paused the channel. null: it is not paused.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({
    id: "Channel",
    description: "A partner's sales channel: where site.ready is sent and what signs it.",
  })

export const createdChannelSchema = channelSchema
  .extend({
    signing_secret: z
      .string()
      .meta({ description: "Shown only in this response. Store it where you store secrets." }),
  })
  .meta({ id: "CreatedChannel" })

export const stagedSecretSchema = channelSchema
  .extend({
    staged_secret: z.string().meta({
      description:
        "The new signing secret, shown only in this response. After its activation it signs X-Sitewire-Signature.",
    }),
  })
  .meta({ id: "StagedSecret" })

/**
 * With `secret_id`, a step of a secret's rotation fails if another operator has rotated the secret meanwhile.
 */
export const secretQuerySchema = z.strictObject({
  secret_id: identifierSchema.optional().meta({
    description: "Id of the secret that you mean. If the step would affect another secret, it responds 409.",
  }),
})

export type CreateChannel = z.infer<typeof createChannelSchema>
export type ChangeChannel = z.infer<typeof changeChannelSchema>
export type Channel = z.infer<typeof channelSchema>
export type CreatedChannel = z.infer<typeof createdChannelSchema>
export type StagedSecret = z.infer<typeof stagedSecretSchema>
