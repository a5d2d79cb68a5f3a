import { apiKeySchema, createApiKeySchema, createdApiKeySchema } from "../api/apiKeys.ts"
import {
  consoleSessionSchema,
  endedSessionsSchema,
  sessionOwnerQuerySchema,
  sessionQuerySchema,
} from "../api/consoleSessions.ts"
import { pageQuerySchema } from "../api/pagination.ts"
import { signInLinkSchema } from "../api/sessions.ts"
import { idParameter } from "./parameters.ts"
import { ownKey, pageOf, type Route } from "./route.ts"

export const keyRoutes = {
  createApiKey: {
    method: "post",
    path: "/v1/keys",
    summary: "Create an API key",
    allow: { admin: "all" },
    shownOnce: "DELETE /v1/keys/{id} revokes this key; then create another.",
    description: "The response contains the key, which is never shown again.",
    body: createApiKeySchema,
    success: { status: 201, schema: createdApiKeySchema },
  },
  listApiKeys: {
    method: "get",
    path: "/v1/keys",
    summary: "List API keys, newest first",
    allow: { admin: "all" },
    description:
      "Includes revoked and expired keys. No response but that of the creation contains a key itself.",
    query: pageQuerySchema,
    success: pageOf(apiKeySchema, "ApiKeyPage"),
  },
  /** No key has the id "current": ids begin with `key_`. */
  readCurrentApiKey: {
    method: "get",
    path: "/v1/keys/current",
    summary: "Read the API key of this request",
    description:
      "Its scopes and its expiry, so that a client can tell what it may do. Every key may read itself.",
    allow: ownKey,
    problems: ["not-found"],
    success: { schema: apiKeySchema },
  },
  readApiKey: {
    method: "get",
    path: "/v1/keys/{id}",
    summary: "Read an API key's name, scopes and last use",
    allow: { admin: "all" },
    params: idParameter,
    success: { schema: apiKeySchema },
  },
  revokeApiKey: {
    method: "delete",
    path: "/v1/keys/{id}",
    summary: "Revoke an API key",
    allow: { admin: "all" },
    description:
      "When the response arrives, no console accepts the key. It cannot be undone. The key stays in the list. Revoking a revoked key changes nothing. A key may revoke itself.",
    params: idParameter,
    success: { schema: apiKeySchema },
  },
} satisfies Record<string, Route>

export const sessionRoutes = {
  createSignInLink: {
    method: "post",
    path: "/v1/sign-in-links",
    summary: "Create a link that signs in to the web console once",
    description:
      "Whoever opens the link first gets a session with the scopes of the API key of this request. The link is valid for 10 minutes. The session ends with the key, and after SESSION_MAX_AGE (12 hours by default) at the latest.",
    allow: ownKey,
    shownOnce: "Create another link, with a new Idempotency-Key.",
    success: { schema: signInLinkSchema },
  },
  listSessions: {
    method: "get",
    path: "/v1/sessions",
    summary: "List sessions of the web console, newest first",
    description:
      "Sessions that have not ended. Without the scope admin, only those of the caller. A session that was not used for SESSION_IDLE has ended, and may still be listed.",
    allow: { ...ownKey, admin: "all" },
    query: sessionQuerySchema,
    success: pageOf(consoleSessionSchema, "ConsoleSessionPage"),
  },
  endSession: {
    method: "delete",
    path: "/v1/sessions/{id}",
    summary: "End a session of the web console",
    description: "Its next request is rejected, and its streams end within a second.",
    allow: { ...ownKey, admin: "all" },
    params: idParameter,
    success: { schema: endedSessionsSchema },
  },
  endSessions: {
    method: "delete",
    path: "/v1/sessions",
    summary: "End all sessions, those of one owner, or one's own",
    description:
      "With the scope admin and without `owner`, this ends all sessions, that of the request included. It revokes no key: whoever has one can sign in again.",
    allow: { ...ownKey, admin: "all" },
    query: sessionOwnerQuerySchema,
    success: { schema: endedSessionsSchema },
  },
} satisfies Record<string, Route>
