import { z } from "zod"
import {
  changeConnectionSchema,
  connectionQuerySchema,
  connectionSchema,
  connectionSecretSchema,
  connectionTriggerUrlSchema,
  createConnectionSchema,
  createdConnectionSchema,
  listedSyncSchema,
  requestedSyncSchema,
  syncQuerySchema,
  windowPageSchema,
} from "../api/connections.ts"
import { pageQuerySchema } from "../api/pagination.ts"
import { idParameter } from "./parameters.ts"
import { pageOf, type Route } from "./route.ts"

export const connectionRoutes = {
  createConnection: {
    method: "post",
    path: "/v1/connections",
    summary: "Create a connection",
    allow: { operate: "all", site: "own" },
    shownOnce:
      "GET /v1/connections/{id}/trigger-url shows the trigger URL, and POST /v1/connections/{id}/signing-secret makes a new signing secret.",
    description:
      "The response contains the trigger URL and the signing secret, which is never shown again. Share both with the partner only. The runner `delegate` needs the scope `operate`.",
    body: createConnectionSchema,
    success: { status: 201, schema: createdConnectionSchema },
    problems: ["id-taken", "too-many-connections"],
  },
  listConnections: {
    method: "get",
    path: "/v1/connections",
    summary: "List connections, newest first",
    allow: { read: "all", site: "own", connection: "own" },
    description: "Each entry contains the last sync, the last success and the next window of the connection.",
    expensive: true,
    query: connectionQuerySchema,
    success: pageOf(connectionSchema, "ConnectionPage"),
  },
  readConnection: {
    method: "get",
    path: "/v1/connections/{id}",
    summary: "Read a connection and its state",
    allow: { read: "all", site: "own", connection: "own" },
    description:
      "The ETag changes with the source, the runner and the request headers, and not with each sync.",
    params: idParameter,
    etag: true,
    success: { schema: connectionSchema },
  },
  changeConnection: {
    method: "patch",
    path: "/v1/connections/{id}",
    summary: "Change a connection's source, runner or request headers",
    allow: { operate: "all", site: "own" },
    description:
      "Requests a sync, which fetches the new source, with the new request headers, in the next window. If a sync of the old source is running, its result is discarded. Until a sync of the new source has succeeded, the snapshot contains the content of the old one. The runner `delegate` needs the scope `operate`.",
    params: idParameter,
    body: changeConnectionSchema,
    problems: ["changed-meanwhile"],
    success: { schema: connectionSchema },
  },
  deleteConnection: {
    method: "delete",
    path: "/v1/connections/{id}",
    summary: "Delete a connection with its syncs and its content",
    allow: { operate: "all", site: "own" },
    description:
      "When the response arrives, every gateway responds to the trigger URL with 404. It cannot be undone. Triggers that no sync has covered are discarded, and a running sync can store nothing any more. A new connection with the same id has another token, and API keys lose the scope connection:<id>; a key without another scope is revoked.",
    params: idParameter,
    success: { description: "The connection as it was.", schema: connectionSchema },
  },
  readConnectionTriggerUrl: {
    method: "get",
    path: "/v1/connections/{id}/trigger-url",
    summary: "Read a connection's trigger URL",
    allow: { operate: "all", site: "own" },
    description: "The only GET response that contains the token, which is a secret.",
    reveals: true,
    params: idParameter,
    success: { schema: connectionTriggerUrlSchema },
  },
  replaceConnectionToken: {
    method: "post",
    path: "/v1/connections/{id}/token",
    summary: "Replace a connection's token",
    allow: { operate: "all", site: "own" },
    shownOnce: "GET /v1/connections/{id}/trigger-url shows the trigger URL.",
    description:
      "When the response arrives, the old trigger URL no longer works. If two requests replace the token at the same time, only one token is valid: read the trigger URL to get it.",
    params: idParameter,
    success: { schema: connectionTriggerUrlSchema },
  },
  replaceConnectionSecret: {
    method: "post",
    path: "/v1/connections/{id}/signing-secret",
    summary: "Replace a connection's signing secret",
    allow: { operate: "all", site: "own" },
    shownOnce: "Replace it again, with a new Idempotency-Key.",
    description:
      "Requests to the source are signed with the new secret from the next sync on. The response is the only one that contains it. Until the partner verifies with it, syncs that it rejects are retried.",
    params: idParameter,
    success: { schema: connectionSecretSchema },
  },
  requestSync: {
    method: "post",
    path: "/v1/connections/{id}/sync",
    summary: "Sync a connection as soon as its window allows",
    allow: { operate: "all", site: "own" },
    description:
      "Counts as a trigger: the sync starts at least 60 s after the one before it, and covers all triggers until then. The wait after a failed sync ends.",
    params: idParameter,
    success: { status: 202, schema: requestedSyncSchema },
  },
  listSyncs: {
    method: "get",
    path: "/v1/syncs",
    summary: "List syncs, newest first",
    description:
      "All filters can be combined. An `outcome` is searched among the syncs that the other filters find, newest first: with a range of time, a rare one is found sooner.",
    allow: { read: "all", site: "own", connection: "own" },
    expensive: true,
    query: syncQuerySchema,
    problems: ["not-found"],
    success: pageOf(listedSyncSchema, "SyncPage"),
  },
  listWindows: {
    method: "get",
    path: "/v1/connections/{id}/windows",
    summary: "List a connection's windows with their triggers and syncs, newest first",
    allow: { read: "all", site: "own", connection: "own" },
    description:
      "Shows which triggers were merged into which sync. `pending` contains the triggers that wait for the next sync. Syncs are deleted with the day on which they started, when that is older than the scheduler's RETENTION.",
    params: idParameter,
    query: pageQuerySchema,
    success: { schema: windowPageSchema },
  },
  readSnapshot: {
    method: "get",
    path: "/v1/connections/{id}/snapshot",
    summary: "Read the content that a connection's last successful sync fetched, or an earlier one",
    allow: { read: "all", site: "own" },
    expensive: true,
    description:
      "The source's response, decoded, with its content type. With `fence`, the content of that sync: a content stays readable for at least 10 minutes after it was replaced.",
    params: idParameter,
    query: z.object({
      fence: z
        .string()
        .regex(/^[0-9]{1,15}$/, "must be a whole number")
        .optional()
        .describe("The number of the sync that stored the content, as in `connection.changed`."),
    }),
    success: {
      description: "The content.",
      headers: {
        ETag: "SHA-256 of the content, in quotes.",
        "Last-Modified": "When the content was stored.",
      },
    },
    requestHeaders: z.object({
      "If-None-Match": z
        .string()
        .optional()
        .describe("The ETag of an earlier response. If the content is the same, the response is 304."),
    }),
    problems: ["nothing-fetched", "content-replaced"],
  },
} satisfies Record<string, Route>
