import type { Sql } from "@sitewire/database"
import type { RequestHandler } from "express"
import { problem } from "../api/problems.ts"
import { sendProblem } from "../api/server/sendResponse.ts"
import { findApiKey } from "./apiKey.ts"
import { callerOf, type Permission } from "./caller.ts"

/**
 * Rejects requests without a valid API key, or whose key has no scope that allows the route, before their body is
 * read. Sets `response.locals.caller`.
 */
export function authenticate(sql: Sql, allowedBy: readonly Permission[]): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers
    const found = authorization === undefined ? null : await findApiKey(sql, authorization)
    if (!found) {
      rejectUnknownKey(response, authorization)
      return
    }
    response.locals.apiKey = found.id
    const caller = callerOf(found, allowedBy)
    if (!caller) {
      const names = allowedBy.map((permission) => scopeNames[permission])
      const detail = `The API key "${found.name}" may not do this. It needs one of these scopes: ${names.join(", ")}.`
      sendProblem(response, problem("missing-scope", detail))
      return
    }
    response.locals.caller = caller
    next()
  }
}

const scopeNames: Record<Permission, string> = {
  read: "read, operate",
  operate: "operate",
  channel: "channel:<id>",
  site: "site:<host>",
}

function rejectUnknownKey(response: Parameters<RequestHandler>[1], authorization: string | undefined): void {
  // RFC 6750: no error code if the request has no credentials.
  const code = authorization === undefined ? "" : ', error="invalid_token"'
  response.setHeader("www-authenticate", `Bearer realm="sitewire"${code}`)
  const instruction = 'Send the header "Authorization: Bearer swk_…" with a key of this console.'
  sendProblem(
    response,
    authorization === undefined
      ? problem("missing-api-key", `The API key is missing. ${instruction}`)
      : problem("invalid-api-key", `The API key is invalid, was revoked, or has expired. ${instruction}`),
  )
}
