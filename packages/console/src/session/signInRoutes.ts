import { type Session, type SignInMethods, signInSchema, validationMessage } from "@sitewire/contracts"
import { sqlWithin } from "@sitewire/database/prisma"
import express, { type Request, type Response, type Router } from "express"
import { fieldErrors } from "../api/fieldErrors.ts"
import { invalidRequest, methodNotAllowed, problem } from "../api/problems.ts"
import type { Problem } from "../api/response.ts"
import { readJsonBody } from "../api/server/readJsonBody.ts"
import { sendProblem } from "../api/server/sendResponse.ts"
import { findKey } from "../auth/apiKey.ts"
import { invalidCsrfToken, invalidSession } from "../auth/authenticate.ts"
import { csrfTokenOf, isCsrfTokenOf } from "./csrfToken.ts"
import { clearSessionCookie, readSessionCookie, setSessionCookie } from "./sessionCookie.ts"
import { createSession, deleteSession, findSession, type SigningIn } from "./sessions.ts"
import type { SignInContext } from "./signInContext.ts"
import { useSignInLink } from "./signInLinks.ts"

/** `/session` of the web console: who is signed in, sign in, sign out. */
export function signInRoutes(context: SignInContext): Router {
  const { prisma, sql, consoleOrigin: origin, limit, methods, log } = context
  const router = express.Router({ caseSensitive: true, strict: true })
  const reject = (response: Response, found: Problem) => sendProblem(response, found, { sign_in: methods })

  router.all("/session", (request, response, next) => {
    response.locals.route = "/session"
    const foreign = origin.reject(request.headers)
    if (foreign) reject(response, foreign)
    else next()
  })

  router.get("/session", async (request, response) => {
    const token = readSessionCookie(request.headers, origin)
    const session = token === null ? null : await readSession(context, token)
    if (session) response.json(session)
    else reject(response, invalidSession())
  })

  router.post("/session", ...readJsonBody(), async (request, response) => {
    const body = signInSchema.safeParse(request.body, { error: validationMessage })
    if (!body.success) {
      reject(response, invalidRequest("body", fieldErrors(body.error)))
      return
    }
    const { ip: address = "" } = request
    const limited = await limit.begin(address)
    if (limited) {
      context.count(body.data.key === undefined ? "link" : "key", "limited")
      response.setHeader("retry-after", String(limited.seconds))
      reject(response, limited.problem)
      return
    }
    const { requestId } = response.locals
    const signedIn = await signIn(context, body.data, requestId).catch(async (error: unknown) => {
      await limit.uncount(address)
      throw error
    })
    const method = body.data.key === undefined ? "link" : "key"
    context.count(method, signedIn ? "accepted" : "rejected")
    if (!signedIn) {
      log.warn({ requestId, address, method }, "a sign-in was rejected")
      reject(response, problem("sign-in-rejected", rejections[method]))
      return
    }
    await limit.uncount(address)
    setSessionCookie(response, origin, signedIn.token, signedIn.expiresAt)
    response.json(await readSession(context, signedIn.token))
  })

  router.delete("/session", async (request, response) => {
    const token = readSessionCookie(request.headers, origin)
    const session = token === null ? null : await findSession(sql, token)
    if (token !== null && session) {
      if (!isCsrfTokenOf(token, request.headers["x-csrf-token"])) {
        reject(response, invalidCsrfToken())
        return
      }
      await deleteSession(prisma, session, response.locals.requestId)
    }
    clearSessionCookie(response, origin)
    response.status(204).end()
  })

  router.all("/session", (_request: Request, response: Response) => {
    const allow = "GET, HEAD, POST, DELETE"
    response.setHeader("allow", allow)
    reject(response, methodNotAllowed(allow))
  })
  return router
}

const rejections = {
  key: "The API key is invalid, was revoked, or has expired.",
  link: "The link is invalid, was used already, or is older than 10 minutes. Ask for a new one.",
}

/** Null: the key or the link is invalid. A link is used up in the transaction that creates its session. */
function signIn(
  { prisma }: SignInContext,
  { key, link = "" }: { key?: string | undefined; link?: string | undefined },
  requestId: string,
): Promise<{ token: string; expiresAt: Date } | null> {
  return prisma.$transaction(async (transaction) => {
    const within = { prisma: transaction, sql: sqlWithin(transaction) }
    let signingIn: SigningIn | null = null
    if (key !== undefined) {
      const found = await findKey(within.sql, key)
      if (found) signingIn = { method: "key", key: found }
    } else {
      const used = await useSignInLink(within.sql, link)
      if (used) signingIn = { method: "link", ...used }
    }
    return signingIn && createSession(within, signingIn, requestId)
  })
}

async function readSession(
  { sql, methods }: { sql: SignInContext["sql"]; methods: SignInMethods },
  token: string,
): Promise<Session | null> {
  const found = await findSession(sql, token)
  if (!found) return null
  const { name, scopes, expiresAt } = found
  const csrf_token = csrfTokenOf(token)
  return { name, scopes, expires_at: expiresAt.toISOString(), csrf_token, sign_in: methods }
}
