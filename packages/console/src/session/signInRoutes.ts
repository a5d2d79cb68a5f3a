import {
  isSecret,
  linkSchema,
  type Session,
  type SignInLinkOwner,
  type SignInMethods,
  signInSchema,
  validationMessage,
} from "@sitewire/contracts"
import express, { type Request, type Response, type Router } from "express"
import { originOf } from "../audit/auditEntry.ts"
import { findKey } from "../auth/apiKey.ts"
import { fieldErrors, invalidRequest, methodNotAllowed, problem } from "../http/problems.ts"
import { readJsonBody } from "../http/readJsonBody.ts"
import type { Problem } from "../http/response.ts"
import { sendProblem } from "../http/sendResponse.ts"
import { clearSessionCookie, csrfTokenOf, isCsrfTokenOf, readSessionCookie } from "./sessionCookie.ts"
import { createSession, deleteSession, type FoundSession, findSession } from "./sessions.ts"
import type { SignInContext } from "./signInContext.ts"
import { findSignInLink, useSignInLink } from "./signInLinks.ts"

/** `/session` of the web console: who is signed in, sign in, sign out. */
export function signInRoutes(context: SignInContext): Router {
  const { prisma, sql, consoleOrigin: origin, takeTurn, limitRejected, methods, log } = context
  const router = express.Router({ caseSensitive: true, strict: true })
  const reject = (response: Response, found: Problem) => sendProblem(response, found, { sign_in: methods })

  router.all(["/session", "/session/link"], (request, response, next) => {
    response.locals.route = request.path
    const foreign = origin.reject(request.headers)
    if (foreign) reject(response, foreign)
    else next()
  })

  router.get("/session", async (request, response) => {
    const found = await findOwnSession(request, response)
    if (found === null) reject(response, problem("invalid-session"))
    else if ("kind" in found) reject(response, found)
    else response.json(describeSession(context, found.token, found.session))
  })

  router.post("/session", ...readJsonBody(), async (request, response) => {
    const body = signInSchema.safeParse(request.body, { error: validationMessage })
    if (!body.success) {
      reject(response, invalidRequest("body", fieldErrors(body.error)))
      return
    }
    if (!methods.key) {
      reject(response, problem("sign-in-disabled"))
      return
    }
    const method = body.data.key === undefined ? "link" : "key"
    const token = await signIn(context, body.data, request, response)
    if (!token) {
      await rejectSignIn(request, response, method)
      return
    }
    if (typeof token === "object") {
      context.count(method, "limited")
      reject(response, token)
      return
    }
    await endSession(request, response).catch((error: unknown) => {
      // The browser stays signed in as before.
      response.removeHeader("Set-Cookie")
      throw error
    })
    const session = await findSession(sql, token)
    response.json(session && describeSession(context, token, session))
  })

  // Not used up, so that the page can ask whether to sign in as the link's key. A POST, because URLs are logged.
  router.post("/session/link", ...readJsonBody(), async (request, response) => {
    const body = linkSchema.safeParse(request.body, { error: validationMessage })
    if (!body.success) {
      reject(response, invalidRequest("body", fieldErrors(body.error)))
      return
    }
    if (!methods.key) {
      reject(response, problem("sign-in-disabled"))
      return
    }
    const { link } = body.data
    const found = await takeTurn(response, link, () => findSignInLink(sql, link))
    if (!found) await rejectSignIn(request, response, "link")
    else if ("kind" in found) reject(response, found)
    else response.json({ name: found.name, scopes: found.scopes } satisfies SignInLinkOwner)
  })

  async function findOwnSession(request: Request, response: Response) {
    const token = readSessionCookie(request.headers, origin)
    return takeTurn(response, token, async () => {
      const session = token === null ? null : await findSession(sql, token)
      return session && { id: session.owner_id, scopes: session.scopes, token: token ?? "", session }
    })
  }

  /** The browser is about to forget the token of its session, and whoever has copied it must not keep it. */
  async function endSession(request: Request, response: Response): Promise<void> {
    const token = readSessionCookie(request.headers, origin)
    const session = token === null ? null : await findSession(sql, token)
    if (session) await deleteSession({ prisma, log }, session, originOf(request, response))
  }

  async function rejectSignIn(request: Request, response: Response, method: "key" | "link"): Promise<void> {
    const { ip: address = "" } = request
    const limited = await limitRejected(address)
    context.count(method, limited ? "limited" : "rejected")
    if (limited) {
      await context.slowDown(response)
      reject(response, limited)
      return
    }
    log.warn({ requestId: response.locals.requestId, address, method }, "a sign-in was rejected")
    reject(response, problem("sign-in-rejected", rejections[method]))
  }

  router.delete("/session", async (request, response) => {
    const found = await findOwnSession(request, response)
    if (found && "kind" in found) {
      reject(response, found)
      return
    }
    if (found) {
      if (!isCsrfTokenOf(found.token, request.headers["x-csrf-token"])) {
        reject(response, problem("invalid-csrf-token"))
        return
      }
      await deleteSession({ prisma, log }, found.session, originOf(request, response))
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

/** The token of the new session. Null: the key or the link is invalid. A problem: the key has signed in too often. */
async function signIn(
  context: SignInContext,
  { key, link = "" }: { key?: string | undefined; link?: string | undefined },
  request: Request,
  response: Response,
): Promise<string | Problem | null> {
  if (key !== undefined) {
    // A sign-in stores a session and an audit entry, so it is one of the key's requests.
    const found = await context.takeTurn(response, key, () => findKey(context.sql, key))
    if (!found || "kind" in found) return found
    return createSession(context, request, response, async () => ({ method: "key", key: found }))
  }
  if (!isSecret("swl", link)) return null
  // The link is used up in the transaction that creates its session.
  return createSession(context, request, response, (sql) => useSignInLink(sql, link))
}

function describeSession(
  { methods }: { methods: SignInMethods },
  token: string,
  { name, scopes, expires_at }: FoundSession,
): Session {
  const csrf_token = csrfTokenOf(token)
  return { name, scopes, expires_at: expires_at.toISOString(), csrf_token, sign_in: methods }
}
