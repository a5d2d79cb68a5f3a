import type { PrismaClient } from "@sitewire/database/prisma"
import type { RequestHandler } from "express"
import { problem } from "../api/response.ts"
import { findApiKey } from "./apiKey.ts"
import { sendProblem } from "../api/server/sendResponse.ts"

/** Lets requests pass that bring a valid key, and notes its id for the access log. Runs before the body is read. */
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
    // RFC 6750: the error code stands only where a key was given.
    const code = authorization === undefined ? "" : ', error="invalid_token"'
    response.setHeader("www-authenticate", `Bearer realm="sitewire"${code}`)
    const fault = authorization === undefined ? "There is no key" : "The key is not valid, or was revoked"
    sendProblem(
      response,
      problem(401, `${fault}: send "Authorization: Bearer swk_…" with a key of this console.`),
    )
  }
}
