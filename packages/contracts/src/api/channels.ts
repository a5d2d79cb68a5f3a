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
  .strictObject({ address: createChannelSchema.shape.address })
  .meta({ id: "ChangeChannel" })

export const channelSchema = z
  .object({
    id: z.string(),
    address: z.string(),
    secret_id: z.string().meta({ description: "Names the active signing secret without telling it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Channel", description: "A partner's sales channel: where site.ready goes and what signs it." })

export const createdChannelSchema = channelSchema
  .extend({
    signing_secret: z.string().meta({ description: "Told once, here. Keep it where secrets are kept." }),
  })
  .meta({ id: "CreatedChannel" })

export type CreateChannel = z.infer<typeof createChannelSchema>
export type Channel = z.infer<typeof channelSchema>
export type CreatedChannel = z.infer<typeof createdChannelSchema>
