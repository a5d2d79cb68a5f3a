import type { PrismaClient } from "@sitewire/database/prisma"
import type { RequestHandler } from "express"
import { problem } from "../api/problems.ts"
import { sendProblem } from "../api/server/sendResponse.ts"
import { findApiKey } from "./apiKey.ts"

/**
 * Rejects requests without a valid API key, before their body is read. There are no roles: every key may call
 * every route, erasure included.
 */
export function authenticate(prisma: PrismaClient): RequestHandler {
  return async (request, response, next) => {
    const { authorization } = request.headers
    const found = authorization === undefined ? null : await findApiKey(prisma, authorization)
    if (found) {
      response.locals.apiKey = found.id
      response.locals.caller = `${found.id} (${found.name})`
      next()
      return
    }
    // RFC 6750: no error code if the request has no credentials.
    const code = authorization === undefined ? "" : ', error="invalid_token"'
    response.setHeader("www-authenticate", `Bearer realm="sitewire"${code}`)
    const fault =
      authorization === undefined ? "The API key is missing" : "The API key is invalid or was revoked"
    sendProblem(
      response,
      problem(401, `${fault}. Send the header "Authorization: Bearer swk_…" with a key of this console.`),
    )
  }
}
