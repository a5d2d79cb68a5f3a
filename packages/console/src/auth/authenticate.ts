import type { IncomingHttpHeaders } from "node:http"
import { formOfScope, scopeNames } from "@sitewire/contracts"
import type { Allow } from "@sitewire/contracts/routes"
import type { Sql } from "@sitewire/database"
import type { Request, RequestHandler, Response } from "express"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"
import { sendProblem } from "../http/sendResponse.ts"
import type { ConsoleOrigin } from "../session/consoleOrigin.ts"
import { isCsrfTokenOf, readSessionCookie } from "../session/sessionCookie.ts"
import { findSession } from "../session/sessions.ts"
import { findKey, readApiKey } from "./apiKey.ts"
import { callerOf, shownTo } from "./caller.ts"
import type { TakeTurn } from "./limitRate.ts"

type Identity = { id: string; name: string; scopes: readonly string[]; sessionId: string | null }

/**
 * Rejects requests without a valid API key or session, of those who have sent too many, or whose scopes do not allow the
 * route, before their body is read. Sets `response.locals.caller`.
 */
export function authenticate(
  sql: Sql,
  origin: ConsoleOrigin,
  takeTurn: TakeTurn,
  allow: Allow,
  /** Called with whoever may not send the request. */
  onDenied: (key: Pick<Identity, "id" | "name">, request: Request, response: Response) => Promise<void>,
): RequestHandler {
  return async (request, response, next) => {
    const { headers, method } = request
    const { authorization } = headers
    // A request with an API key ignores the cookie: another page cannot send the key, so nothing else is needed.
    const token = authorization === undefined ? readSessionCookie(headers, origin) : null
    const secret = token ?? readApiKey(authorization ?? "")
    const found = await takeTurn(response, secret, () =>
      token === null
        ? findKeyOf(sql, authorization, secret)
        : findSessionOf(sql, origin, { token, headers, method }),
    )
    if ("kind" in found) {
      if (found.status === 401) {
        // RFC 6750: no error code if the request has no credentials.
        const code = authorization === undefined ? "" : ', error="invalid_token"'
        response.setHeader("www-authenticate", `Bearer realm="sitewire"${code}`)
      }
      sendProblem(response, found)
      return
    }
    response.locals.apiKey = found.id
    const caller = callerOf(found, allow)
    if (!caller) {
      await onDenied(found, request, response)
      const names = scopesOf(allow)
      const who = found.sessionId === null ? "The API key" : "The session of"
      const detail = `${who} "${found.name}" may not do this. It needs one of these scopes: ${names.join(", ")}.`
      sendProblem(response, problem("missing-scope", detail))
      return
    }
    response.locals.caller = caller
    next()
  }
}

/** The scopes that allow a route, as in a key. */
export function scopesOf(allow: Allow): string[] {
  return scopeNames.filter((name) => shownTo(name, allow)).map(formOfScope)
}

async function findKeyOf(
  sql: Sql,
  authorization: string | undefined,
  key: string | null,
): Promise<Identity | Problem> {
  const instruction = 'Send the header "Authorization: Bearer swk_…" with a key of this console.'
  if (authorization === undefined) return problem("missing-api-key", `The API key is missing. ${instruction}`)
  const found = key === null ? null : await findKey(sql, key)
  if (found) return { ...found, sessionId: null }
  return problem("invalid-api-key", `The API key is invalid, was revoked, or has expired. ${instruction}`)
}

async function findSessionOf(
  sql: Sql,
  origin: ConsoleOrigin,
  { token, headers, method }: { token: string; headers: IncomingHttpHeaders; method: string },
): Promise<Identity | Problem> {
  const foreign = origin.reject(headers)
  if (foreign) return foreign
  const session = await findSession(sql, token)
  if (!session) return problem("invalid-session")
  if (!isSafe(method) && !isCsrfTokenOf(token, headers["x-csrf-token"])) return problem("invalid-csrf-token")
  return { id: session.owner_id, name: session.name, scopes: session.scopes, sessionId: session.id }
}

function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD"
}
