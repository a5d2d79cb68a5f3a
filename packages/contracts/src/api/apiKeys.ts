import { z } from "zod"
import { oneLine } from "../values/plainText.ts"
import { timeSchema, tooFar } from "../values/time.ts"
import { identifierSchema } from "./identifier.ts"
import { scopeSchema } from "./scopes.ts"

export const createApiKeySchema = z
  .strictObject({
    name: oneLine(100).meta({
      description: "Who uses the key. It is stored in the audit log, so name a role and not a person.",
      examples: ["acme's developers"],
    }),
    scopes: z
      .array(scopeSchema)
      .min(1)
      .max(50)
      .meta({
        description: "What the key may do.",
        "x-rejections": ["names a channel, a site or a connection that does not exist"],
      }),
    expires_at: timeSchema.optional().meta({
      description:
        "When the key stops working. Default: as late as the console's policy allows (API_KEY_MAX_AGE), or never.",
      "x-rejections": ["must be in the future", "must not be later than", tooFar],
      examples: ["2027-01-31T00:00:00Z"],
    }),
  })
  .meta({ id: "CreateApiKey" })

export const apiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime().nullable().describe("null: the key does not expire."),
    last_used_at: z.iso.datetime().nullable().describe("Accurate to a minute. null: the key was never used."),
    revoked_at: z.iso.datetime().nullable().describe("null: the key was not revoked."),
  })
  .meta({ id: "ApiKey", description: "A key of the management API, without its secret part." })

export const createdApiKeySchema = apiKeySchema
  .extend({
    key: z.string().describe("Shown only in this response. Store it where you store secrets."),
  })
  .meta({ id: "CreatedApiKey" })

export const apiKeyIdSchema = identifierSchema

export type CreateApiKey = z.infer<typeof createApiKeySchema>
export type ApiKey = z.infer<typeof apiKeySchema>
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>
