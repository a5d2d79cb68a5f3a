import { z } from "zod"
import { calledUrl } from "../values/httpUrl.ts"
import { identifierSchema } from "./identifier.ts"

export const syncRunnerSchema = z.enum(["pull", "delegate"])

export const createConnectionSchema = z
  .strictObject({
    id: identifierSchema.optional().meta({ description: "Your choice. Default: generated." }),
    site: z
      .hostname()
      .max(253)
      .toLowerCase()
      .meta({ description: "Host of the owner's site, at which the partner calls the trigger URL." }),
    source: calledUrl.meta({ description: "URL of the partner's API; for `delegate`, of the executor." }),
    runner: syncRunnerSchema.default("pull").meta({
      description: "`pull`: Sitewire fetches the source. `delegate`: an internal executor does.",
    }),
  })
  .meta({ id: "CreateConnection" })

export const connectionSchema = z
  .object({
    id: z.string(),
    site: z.string(),
    source: z.string(),
    runner: syncRunnerSchema,
    state: z.enum(["idle", "waiting", "running", "failing"]).meta({
      description:
        "`waiting`: the next sync is due at `next_sync_at`. `failing`: the last sync failed and is retried then.",
    }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: "Error class of the last sync. null: it did not fail." }),
    next_sync_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "null: no sync is due, or one is running." }),
    created_at: z.iso.datetime(),
    token_replaced_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Connection", description: "A partner's data source, connected to a site." })

/**
 * A connection with its trigger URL. Only three routes return the URL: create a connection, replace its
 * token, read its trigger URL. All other responses omit the token, so they can be logged and shown.
 */
export const connectionTriggerUrlSchema = connectionSchema
  .extend({
    trigger_url: z.url().meta({
      description: "The URL that the partner calls. Its token is a secret: share it with the partner only.",
    }),
  })
  .meta({ id: "ConnectionTriggerUrl", description: "A connection with its trigger URL." })

export const syncSchema = z
  .object({
    fence: z
      .int()
      .meta({ description: "Number of this run. Results of runs with a lower number are ignored." }),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    outcome: z.enum(["running", "changed", "unchanged", "failed", "abandoned"]),
    error: z.string().nullable(),
    triggers: z.int().meta({ description: "How many accepted triggers the run covers." }),
    first_trigger_at: z.iso.datetime().nullable(),
    last_trigger_at: z.iso.datetime().nullable(),
    bytes: z.int().nullable().meta({ description: "Size of the source's decoded response." }),
    content_sha256: z.string().nullable().meta({ description: "Hash of the content, in hexadecimal." }),
  })
  .meta({ id: "Sync", description: "One run of a connection's synchronisation." })

export type CreateConnection = z.infer<typeof createConnectionSchema>
export type Connection = z.infer<typeof connectionSchema>
export type ConnectionTriggerUrl = z.infer<typeof connectionTriggerUrlSchema>
export type Sync = z.infer<typeof syncSchema>
