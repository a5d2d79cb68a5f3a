import { z } from "zod"
import { calledUrl } from "../values/httpUrl.ts"
import { plainText } from "../values/plainText.ts"
import { timeSchema } from "../values/time.ts"
import type { AttemptError } from "./deliveries.ts"
import { identifierSchema } from "./identifier.ts"
import { pageQuerySchema, pageSchema } from "./pagination.ts"
import { requestHeadersSchema, shownRequestHeaders } from "./requestHeaders.ts"

export const syncRunnerSchema = z.enum(["pull", "delegate"])

export const createConnectionSchema = z
  .strictObject({
    id: identifierSchema.optional().describe("An id of your choice. Default: generated."),
    site: z
      .hostname()
      .max(253)
      .toLowerCase()
      .describe("Host of the owner's site, at which the partner calls the trigger URL."),
    source: calledUrl.describe("URL of the partner's API; for `delegate`, of the executor."),
    runner: syncRunnerSchema
      .default("pull")
      .describe("`pull`: Sitewire fetches the source. `delegate`: an internal executor does."),
    request_headers: requestHeadersSchema
      .optional()
      .describe("Headers of each request to the source. Their values are stored encrypted and never shown."),
  })
  .meta({ id: "CreateConnection" })

export const changeConnectionSchema = z
  .strictObject({
    source: createConnectionSchema.shape.source.optional(),
    runner: syncRunnerSchema
      .optional()
      .describe("Who fetches the data. The rules for `source` depend on it."),
    request_headers: requestHeadersSchema
      .optional()
      .describe(
        "Replaces all request headers; an empty list removes them. Required if the connection has some and the new source has another scheme, host or port, because they would be sent there.",
      ),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: "must contain source, runner or request_headers",
  })
  .meta({ id: "ChangeConnection", minProperties: 1, "x-rejections": ["request_headers is required"] })

export const connectionStateSchema = z.enum(["idle", "waiting", "running", "failing"])

export const connectionQuerySchema = pageQuerySchema.extend({
  site: z.hostname().max(253).toLowerCase().optional().describe("Only connections of this site (its host)."),
  state: connectionStateSchema.optional().describe("Only connections in this state."),
  q: plainText
    .min(1)
    .max(200)
    .optional()
    .describe("Only connections whose id, site or source contains this text. Case is ignored."),
})

export const connectionSchema = z
  .object({
    id: z.string(),
    site: z.string(),
    source: z.string(),
    runner: syncRunnerSchema,
    state: connectionStateSchema.describe(
      "`waiting`: the next sync is due at `next_sync_at`. `failing`: the last sync failed and is retried then.",
    ),
    last_synced_at: z.iso
      .datetime()
      .nullable()
      .describe("When the last sync ended. null: there was none yet. Abandoned syncs do not count."),
    last_outcome: z.enum(["changed", "unchanged", "failed"]).nullable().describe("Outcome of the last sync."),
    last_error: z.string().nullable().describe("Error class of the last sync. null: it did not fail."),
    last_status: z
      .int()
      .nullable()
      .describe("HTTP status of the last sync's response, if its error is `status`."),
    last_reason: z
      .string()
      .nullable()
      .describe("`last_error` and `last_status` as a sentence. null: the last sync did not fail."),
    next_step: z
      .string()
      .nullable()
      .describe("What to do about `last_reason`. null: the last sync did not fail."),
    last_success_at: z.iso
      .datetime()
      .nullable()
      .describe("When a sync last succeeded (`changed` or `unchanged`). null: none has."),
    failing_since: z.iso
      .datetime()
      .nullable()
      .describe("When the first of the syncs failed that failed in a row. null: the last sync did not fail."),
    window_ends_at: z.iso
      .datetime()
      .nullable()
      .describe(
        "End of the current window: the next sync starts no earlier. In the past or null: it may start at once.",
      ),
    next_sync_at: z.iso.datetime().nullable().describe("null: no sync is due, or one is running."),
    created_at: z.iso.datetime(),
    token_replaced_at: z.iso.datetime().nullable(),
    signing_secret_replaced_at: z.iso
      .datetime()
      .nullable()
      .describe("When the secret that signs the requests to the source was last replaced. null: never."),
    ...shownRequestHeaders,
  })
  .meta({ id: "Connection", description: "A partner's data source, connected to a site." })

/**
 * A connection with its trigger URL. Only three routes return the URL: create a connection, replace its
 * token, read its trigger URL. All other responses omit the token, so they can be logged and shown.
 */
export const connectionTriggerUrlSchema = connectionSchema
  .extend({
    trigger_url: z
      .url()
      .describe("The URL that the partner calls. Its token is a secret: share it with the partner only."),
  })
  .meta({ id: "ConnectionTriggerUrl", description: "A connection with its trigger URL." })

const signingSecretSchema = z
  .string()
  .describe(
    "Signs the requests to the source or the executor. It is shown only in this response: share it with the partner only.",
  )

export const connectionSecretSchema = connectionSchema
  .extend({ signing_secret: signingSecretSchema })
  .meta({ id: "ConnectionSecret", description: "A connection with its new signing secret." })

export const createdConnectionSchema = connectionTriggerUrlSchema
  .extend({ signing_secret: signingSecretSchema })
  .meta({ id: "CreatedConnection", description: "A connection with its trigger URL and its signing secret." })

/** Why a sync ended without a result. The console has a sentence for each. */
export type SyncError =
  | AttemptError
  | "late-start"
  | "too-large"
  | "encoding"
  | "site-full"
  | "sealing-key"
  | "storage"
  | "internal"
  | "lost"
  | "stopped"
  | "busy"
  | "source-changed"
  | "stale"

export const syncSchema = z
  .object({
    fence: z.int().describe("Number of this run. Results of runs with a lower number are ignored."),
    started_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    outcome: z.enum(["running", "changed", "unchanged", "failed", "abandoned"]),
    error: z.string().nullable(),
    status: z.int().nullable().describe("HTTP status of the source's response, if the error is `status`."),
    reason: z.string().nullable().describe("`error` and `status` as a sentence. null: no error."),
    triggers: z.int().describe("How many accepted triggers the run covers."),
    first_trigger_at: z.iso.datetime().nullable(),
    last_trigger_at: z.iso.datetime().nullable(),
    bytes: z.int().nullable().describe("Size of the source's decoded response."),
    content_sha256: z.string().nullable().describe("Hash of the content, in hexadecimal."),
  })
  .meta({ id: "Sync", description: "One run of a connection's synchronisation." })

export const syncQuerySchema = pageQuerySchema.extend({
  connection: identifierSchema.optional().describe("Only syncs of this connection."),
  site: z.hostname().max(253).toLowerCase().optional().describe("Only syncs of this site's connections."),
  outcome: syncSchema.shape.outcome.optional().describe("Only syncs with this outcome."),
  started_after: timeSchema.optional().describe("Only syncs that started at this time (inclusive) or later."),
  started_before: timeSchema.optional().describe("Only syncs that started before this time (exclusive)."),
})

export const listedSyncSchema = z
  .object({
    connection: z.string().describe("The connection's id."),
    site: z.string(),
    ...syncSchema.shape,
  })
  .meta({ id: "ListedSync", description: "A sync with its connection." })

const triggersSchema = z.object({
  count: z.int().describe("How many triggers were accepted. A requested sync counts as one."),
  first_at: z.iso.datetime().nullable().describe("Time of the first."),
  last_at: z.iso.datetime().nullable().describe("Time of the last."),
})

export const windowSchema = z
  .object({
    triggers: triggersSchema.describe(
      "The triggers that were merged into the sync. Those of earlier syncs that failed are included.",
    ),
    covered: z
      .boolean()
      .describe(
        "Whether the sync covered the triggers: it succeeded. If it failed or was abandoned, the next sync has them too.",
      ),
    sync: syncSchema.describe("The sync whose start began the window."),
  })
  .meta({
    id: "Window",
    description: "The minute after a sync's start, in which no other sync of the connection starts.",
  })

export const pendingWindowSchema = z
  .object({
    triggers: triggersSchema,
    earliest_start_at: z.iso
      .datetime()
      .describe(
        "The sync starts no earlier. While another sync is running, the time can still become a few seconds earlier.",
      ),
  })
  .meta({ id: "PendingWindow", description: "Triggers that no sync has claimed yet, and when one may." })

export const windowPageSchema = pageSchema(windowSchema)
  .extend({
    pending: pendingWindowSchema
      .nullable()
      .describe("The triggers that the next sync will cover. null: there are none."),
  })
  .meta({ id: "WindowPage" })

export const requestedSyncSchema = z
  .object({
    connection: z.string().describe("The connection's id."),
    earliest_start_at: pendingWindowSchema.shape.earliest_start_at,
  })
  .meta({ id: "RequestedSync", description: "A sync that was requested and has not started yet." })

export type CreateConnection = z.infer<typeof createConnectionSchema>
export type Connection = z.infer<typeof connectionSchema>
export type ConnectionSecret = z.infer<typeof connectionSecretSchema>
export type CreatedConnection = z.infer<typeof createdConnectionSchema>
export type ConnectionTriggerUrl = z.infer<typeof connectionTriggerUrlSchema>
export type ChangeConnection = z.infer<typeof changeConnectionSchema>
export type ConnectionState = z.infer<typeof connectionStateSchema>
export type Sync = z.infer<typeof syncSchema>
export type ListedSync = z.infer<typeof listedSyncSchema>
export type SyncFilter = Omit<z.infer<typeof syncQuerySchema>, "cursor" | "limit">
export type Window = z.infer<typeof windowSchema>
export type PendingWindow = z.infer<typeof pendingWindowSchema>
export type WindowPage = z.infer<typeof windowPageSchema>
export type RequestedSync = z.infer<typeof requestedSyncSchema>
