import { z } from "zod"
import { identifierSchema } from "./identifier.ts"
import { pageQuerySchema } from "./pagination.ts"

const owner = identifierSchema
  .optional()
  .describe(
    "Only sessions of this API key or user of OpenID Connect (its id). `current`: of the caller. Without the scope admin, there are no others.",
  )

export const sessionQuerySchema = pageQuerySchema.extend({ owner })
export const sessionOwnerQuerySchema = z.strictObject({ owner })

export const consoleSessionSchema = z
  .object({
    id: z.string(),
    owner: z
      .object({ kind: z.enum(["key", "user"]), id: z.string(), name: z.string() })
      .describe("Who has signed in: an API key, or a user of OpenID Connect."),
    scopes: z.array(z.string()),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().describe("Accurate to a minute."),
    expires_at: z.iso.datetime().describe("When the session ends at the latest."),
    current: z.boolean().describe("Whether it is the session of this request."),
  })
  .meta({ id: "ConsoleSession", description: "A session of the web console." })

export const endedSessionsSchema = z
  .object({ ended: z.int().describe("How many sessions have ended.") })
  .meta({ id: "EndedSessions" })

export type ConsoleSession = z.infer<typeof consoleSessionSchema>
