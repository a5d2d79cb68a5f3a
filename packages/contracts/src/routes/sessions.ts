import {
  consoleSessionSchema,
  endedSessionsSchema,
  sessionOwnerQuerySchema,
  sessionQuerySchema,
} from "../api/consoleSessions.ts"
import { signInLinkSchema } from "../api/sessions.ts"
import { idParameter } from "./parameters.ts"
import { ownKey, pageOf, type Route } from "./route.ts"

export const sessionRoutes = {
  createSignInLink: {
    method: "post",
    path: "/v1/sign-in-links",
    summary: "Create a link that signs in to the web console once",
    description:
      "Whoever opens the link first gets a session with the scopes of the API key of this request. The link is valid for 10 minutes. The session ends with the key, and after SESSION_MAX_AGE (12 hours by default) at the latest.",
    allow: ownKey,
    shownOnce: "Create another link, with a new Idempotency-Key.",
    success: { status: 200, description: "The link.", schema: signInLinkSchema },
  },
  listSessions: {
    method: "get",
    path: "/v1/sessions",
    summary: "List sessions of the web console, newest first",
    description:
      "Sessions that have not ended. Without the scope admin, only those of the caller. A session that was not used for SESSION_IDLE has ended, and may still be listed.",
    allow: { ...ownKey, admin: "all" },
    query: sessionQuerySchema,
    success: pageOf(consoleSessionSchema, "ConsoleSessionPage", "A page of sessions."),
  },
  endSession: {
    method: "delete",
    path: "/v1/sessions/{id}",
    summary: "End a session of the web console",
    description: "Its next request is rejected, and its streams end within a second.",
    allow: { ...ownKey, admin: "all" },
    params: idParameter,
    success: { status: 200, description: "The session has ended.", schema: endedSessionsSchema },
  },
  endSessions: {
    method: "delete",
    path: "/v1/sessions",
    summary: "End all sessions, those of one owner, or one's own",
    description:
      "With the scope admin and without `owner`, this ends all sessions, that of the request included. It revokes no key: whoever has one can sign in again.",
    allow: { ...ownKey, admin: "all" },
    query: sessionOwnerQuerySchema,
    success: { status: 200, description: "The sessions have ended.", schema: endedSessionsSchema },
  },
} satisfies Record<string, Route>
