import type { Request, Response, Router } from "express"
import express from "express"
import { originOf } from "../audit/auditEntry.ts"
import { problem } from "../http/problems.ts"
import type { Problem } from "../http/response.ts"
import { sendProblem } from "../http/sendResponse.ts"
import { sendPage } from "../page/sendPage.ts"
import { readSessionCookie } from "../session/sessionCookie.ts"
import { createSession, deleteSession, findSession } from "../session/sessions.ts"
import type { SignInContext } from "../session/signInContext.ts"
import { clearBegunSignIn, readBegunSignIn, storeBegunSignIn } from "./begunSignIn.ts"
import type { OpenIdProvider } from "./openIdProvider.ts"

const begin = "/session/oidc"
const callback = "/session/oidc/callback"

/** Sign-in with OpenID Connect: to the provider, and back from it. */
export function openIdRoutes(context: SignInContext): Router {
  const { provider, consoleOrigin } = context
  const router = express.Router({ caseSensitive: true, strict: true })
  if (!provider) {
    router.get([begin, callback], (_request, response) => sendProblem(response, problem("unknown-path")))
    return router
  }

  // Nobody has signed in here, and each request costs a call to the provider, or a sealed cookie.
  router.get([begin, callback], async (request, response, next) => {
    response.locals.route = request.path
    const limited = await context.limitOpenId(request.ip ?? "")
    if (!limited) return next()
    context.count("oidc", "limited")
    await context.slowDown(response)
    sendFailure(request, response, limited)
  })

  router.get(begin, async (request, response) => {
    const origin = consoleOrigin.of(request.headers)
    const token = readSessionCookie(request.headers, consoleOrigin)
    const found = token === null ? null : await findSession(context.sql, token)
    const before = found && { id: found.id, owner_id: found.owner_id, name: found.name }
    try {
      const { url, expected } = await provider.begin(`${origin}${callback}`)
      const returnTo = ownPath(request.query.return_to, origin)
      storeBegunSignIn(response, context, { ...expected, returnTo, before })
      response.redirect(url.href)
    } catch (error) {
      sendFailure(request, response, rejectFailed(context, error, response.locals.requestId))
    }
  })

  router.get(callback, async (request, response) => {
    const begun = readBegunSignIn(request.headers, context)
    clearBegunSignIn(response, context)
    if (!begun || begun.state !== request.query.state) {
      const detail =
        "This browser has not begun this sign-in, or began it more than 10 minutes ago. Sign in again."
      sendFailure(request, response, problem("sign-in-rejected", detail))
      return
    }
    const url = new URL(request.originalUrl, consoleOrigin.of(request.headers))
    const failed = await end({ ...context, provider }, { url, expected: begun }, request, response)
    if (failed) {
      sendFailure(request, response, failed)
      return
    }
    if (begun.before) await deleteSession(context, begun.before, originOf(request, response))
    // A redirect would still belong to the navigation that the provider's page began, so the browser would not send
    // the new cookie, which is SameSite=Strict. This page begins a navigation of its own.
    sendPage(response, 200, {
      title: "Signed in",
      text: "",
      continueTo: begun.returnTo,
      link: { path: begun.returnTo, text: "Continue" },
    })
  })
  return router
}

/** Creates the session and sets its cookie, or returns why not. */
async function end(
  context: SignInContext & { provider: OpenIdProvider },
  { url, expected }: { url: URL; expected: Parameters<OpenIdProvider["end"]>[1] },
  request: Request,
  response: Response,
): Promise<Problem | null> {
  const { provider, count } = context
  let user: Awaited<ReturnType<OpenIdProvider["end"]>>
  try {
    user = await provider.end(url, expected)
  } catch (error) {
    return rejectFailed(context, error, response.locals.requestId)
  }
  if (!user) {
    count("oidc", "rejected")
    return problem("no-roles", "Your account has no role in Sitewire. Ask an operator for one.")
  }
  const signingIn = { method: "oidc", user } as const
  await createSession(context, request, response, async () => signingIn)
  return null
}

function rejectFailed({ log, count }: SignInContext, error: unknown, requestId: string): Problem {
  const { isRejection, reason } = describeFailure(error)
  count("oidc", isRejection ? "rejected" : "unavailable")
  log.warn({ requestId, reason }, "a sign-in with OpenID Connect failed")
  return isRejection
    ? problem("sign-in-rejected", "The identity provider did not confirm the sign-in. Sign in again.")
    : problem("provider-unavailable")
}

function sendFailure(request: Request, response: Response, failure: Problem): void {
  if (request.accepts(["application/problem+json", "text/html"]) !== "text/html") {
    sendProblem(response, failure)
    return
  }
  const { retryAfterSeconds } = failure
  if (retryAfterSeconds !== undefined) response.setHeader("retry-after", String(retryAfterSeconds))
  const link = { path: "/sign-in", text: "Back to the sign-in" }
  sendPage(response, failure.status, { title: "You are not signed in", text: failure.detail, link })
}

/** The path to which a sign-in returns. Anything but a path of this origin becomes `/`. */
function ownPath(text: unknown, origin: string): string {
  if (typeof text !== "string" || !text.startsWith("/") || text.length > 500) return "/"
  if (!URL.canParse(text, origin)) return "/"
  const url = new URL(text, origin)
  // A path that begins with two slashes would lead to another host.
  const isOwn = url.origin === origin && !url.pathname.startsWith("//")
  return isOwn ? `${url.pathname}${url.search}${url.hash}` : "/"
}

/** The provider, or the browser that comes back from it, sent something that does not belong to the sign-in. */
const rejections = new Set([
  "OAUTH_AUTHORIZATION_RESPONSE_ERROR",
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "invalid_grant",
])

/**
 * Errors of openid-client contain claims and tokens, so only their codes may be logged. Whatever is not a rejection
 * means that the provider is unavailable, or that it and this console are not configured for each other.
 */
function describeFailure(error: unknown): { isRejection: boolean; reason: string } {
  const codes = codesOf(error)
  return { isRejection: codes.some((code) => rejections.has(code)), reason: codes.join(" ") || "unknown" }
}

/** The codes of an error and of its causes, such as OAUTH_RESPONSE_BODY_ERROR, invalid_client or ECONNREFUSED. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const own = [error.name, "code" in error ? error.code : "", "error" in error ? error.error : ""]
  const named = own.filter((code): code is string => typeof code === "string" && /^\w{2,60}$/.test(code))
  return [...named, ...codesOf(error.cause)]
}
