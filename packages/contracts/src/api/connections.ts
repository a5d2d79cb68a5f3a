import { z } from "zod"
import { identifierSchema } from "./identifier.ts"

export const syncRunnerSchema = z.enum(["pull", "delegate"])

export const createConnectionSchema = z
  .strictObject({
    id: identifierSchema.optional().meta({ description: "Chosen by you, or made for you." }),
    site: z
      .hostname()
      .max(253)
      .toLowerCase()
      .meta({ description: "Host of the owner's site, under which the partner calls the trigger." }),
    source: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .meta({ description: "The partner's API, or the executor's address for `delegate`." }),
    runner: syncRunnerSchema
      .default("pull")
      .meta({ description: "`pull` fetches the source; `delegate` asks an internal executor to." }),
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
        "`waiting`: a sync is due at `next_sync_at`; `failing`: the last one failed and is tried again then.",
    }),
    last_error: z.string().nullable().meta({ description: "Error class of the last sync, if it failed." }),
    next_sync_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: "null: nothing to do, or a sync is running." }),
    created_at: z.iso.datetime(),
    token_replaced_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Connection", description: "A partner's data source, joined to a site." })

/**
 * The answer to making a connection, replacing its token and asking for its address, and to nothing else: reading and
 * listing connections never tell the token, so they can be logged and shown without care.
 */
export const connectionAddressSchema = connectionSchema
  .extend({
    address: z
      .url()
      .meta({ description: "The trigger address, token included: a secret. Give it to the partner only." }),
  })
  .meta({ id: "ConnectionAddress", description: "A connection with its trigger address." })

export const syncSchema = z
  .object({
    fence: z.int().meta({ description: "Number of this run; a higher one makes all earlier ones void." }),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    outcome: z.enum(["running", "changed", "unchanged", "failed", "abandoned"]),
    error: z.string().nullable(),
    triggers: z.int().meta({ description: "How many accepted triggers the run covers." }),
    first_trigger_at: z.iso.datetime().nullable(),
    last_trigger_at: z.iso.datetime().nullable(),
    bytes: z.int().nullable().meta({ description: "Size of what the source answered, decoded." }),
    content_sha256: z.string().nullable().meta({ description: "Hash of the content, in hexadecimal." }),
  })
  .meta({ id: "Sync", description: "One run of a connection's synchronisation." })

export type CreateConnection = z.infer<typeof createConnectionSchema>
export type Connection = z.infer<typeof connectionSchema>
export type ConnectionAddress = z.infer<typeof connectionAddressSchema>
export type Sync = z.infer<typeof syncSchema>
