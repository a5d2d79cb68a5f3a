import { z } from "zod"
import { identifierSchema } from "./identifier.ts"

export const createChannelSchema = z
  .strictObject({
    id: identifierSchema.optional().meta({ description: "Chosen by you, or made for you." }),
    address: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .meta({
        description:
          "The partner's notification address: https, on a public host. Answered as it is called: normalised.",
      }),
  })
  .meta({ id: "CreateChannel" })

export const changeChannelSchema = z
  .strictObject({
    address: createChannelSchema.shape.address.optional(),
    standard_webhooks: z.boolean().optional().meta({
      description:
        "Send webhook-id, webhook-timestamp and webhook-signature too (standardwebhooks.com). During a rotation the signature is by both secrets.",
    }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "Say what to change: at least one field.",
  })
  .meta({ id: "ChangeChannel", minProperties: 1 })

export const otherSecretStateSchema = z.enum(["staged", "retiring"])

export const channelSchema = z
  .object({
    id: z.string(),
    address: z.string(),
    secret_id: z.string().meta({
      description: "Names the active signing secret without telling it: X-Sitewire-Signature is by this one.",
    }),
    other_secret: z.object({ id: z.string(), state: otherSecretStateSchema }).nullable().meta({
      description:
        "The second secret of a rotation: staged until it is activated, or the one before, retiring.",
    }),
    standard_webhooks: z.boolean().meta({ description: "Whether Standard Webhooks headers are sent too." }),
    paused_at: z.iso.datetime().nullable().meta({
      description: "Since when an operator holds back the channel's deliveries; null: they go out.",
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Channel", description: "A partner's sales channel: where site.ready goes and what signs it." })

export const createdChannelSchema = channelSchema
  .extend({
    signing_secret: z.string().meta({ description: "Told once, here. Keep it where secrets are kept." }),
  })
  .meta({ id: "CreatedChannel" })

export const stagedSecretSchema = channelSchema
  .extend({
    staged_secret: z.string().meta({
      description:
        "The new signing secret, told once, here. It signs X-Sitewire-Signature once it is activated.",
    }),
  })
  .meta({ id: "StagedSecret" })

/** Says which secret is meant, for steps of a rotation that somebody else may be making too. */
export const secretQuerySchema = z.strictObject({
  secret_id: identifierSchema.optional().meta({
    description: "Only if this is the secret that it would be done to; otherwise nothing is done: 409.",
  }),
})

export type CreateChannel = z.infer<typeof createChannelSchema>
export type ChangeChannel = z.infer<typeof changeChannelSchema>
export type Channel = z.infer<typeof channelSchema>
export type CreatedChannel = z.infer<typeof createdChannelSchema>
export type StagedSecret = z.infer<typeof stagedSecretSchema>
