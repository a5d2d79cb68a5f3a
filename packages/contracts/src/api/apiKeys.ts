import { z } from "zod"
import { timeSchema } from "../values/time.ts"
import { identifierSchema } from "./identifier.ts"

const siteScope = /^site:[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/
const channelScope = /^channel:[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/

/** What an API key may do. A key's rights are those of all its scopes together. */
export const scopeSchema = z
  .string()
  .max(260)
  .refine(
    (scope) => scope === "read" || scope === "operate" || channelScope.test(scope) || siteScope.test(scope),
    "must be read, operate, channel:<id> or site:<host>, such as channel:acme or site:shop.example",
  )
  .meta({
    description:
      "`read`: read everything. `operate`: everything. `channel:<id>`: read this channel and its deliveries, resend, test and certify, and rotate its secret. `site:<host>`: this site's connections.",
    examples: ["channel:acme"],
  })

export const createApiKeySchema = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .regex(/^\P{Cc}*$/u, "must not contain control characters")
      .meta({
        description: "Who uses the key. It is stored in the audit log, so name a role and not a person.",
        examples: ["acme's developers"],
      }),
    scopes: z.array(scopeSchema).min(1).max(50),
    expires_at: timeSchema.optional().meta({
      description: "When the key stops working. Default: never.",
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
    expires_at: z.iso.datetime().nullable().meta({ description: "null: the key does not expire." }),
    last_used_at: z.iso.datetime().nullable().meta({
      description: "Accurate to a minute. null: the key was never used.",
    }),
    revoked_at: z.iso.datetime().nullable().meta({ description: "null: the key was not revoked." }),
  })
  .meta({ id: "ApiKey", description: "A key of the management API, without its secret part." })

export const createdApiKeySchema = apiKeySchema
  .extend({
    key: z.string().meta({ description: "Shown only in this response. Store it where you store secrets." }),
  })
  .meta({ id: "CreatedApiKey" })

export const apiKeyIdSchema = identifierSchema

export type CreateApiKey = z.infer<typeof createApiKeySchema>
export type ApiKey = z.infer<typeof apiKeySchema>
export type CreatedApiKey = z.infer<typeof createdApiKeySchema>
