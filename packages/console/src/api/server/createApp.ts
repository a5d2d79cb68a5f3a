import { confidentialResponse, type Logger, type Registry } from "@sitewire/runtime"
import compression from "compression"
import type { Express, Request, RequestHandler, Response, Router } from "express"
import express from "express"
import { originOf } from "../../audit/auditEntry.ts"
import { recordDenied } from "../../audit/recordDenied.ts"
import { authenticate } from "../../auth/authenticate.ts"
import { limitExpensive, runChunks } from "../../auth/limitExpensive.ts"
import { limitRate, type RateSettings, type TakeTurn } from "../../auth/limitRate.ts"
import { methodNotAllowed, problem } from "../../http/problems.ts"
import { readJsonBody } from "../../http/readJsonBody.ts"
import type { RouteResponse } from "../../http/response.ts"
import { sendProblem, sendResponse } from "../../http/sendResponse.ts"
import type { OpenIdProvider } from "../../oidc/openIdProvider.ts"
import { openIdRoutes } from "../../oidc/openIdRoutes.ts"
import { servePage } from "../../page/servePage.ts"
import type { SessionLimits } from "../../session/sessions.ts"
import { createSignInContext } from "../../session/signInContext.ts"
import { signInRoutes } from "../../session/signInRoutes.ts"
import { etagOf } from "../etag.ts"
import { readIdempotencyKey } from "../idempotency.ts"
import { type AppContext, isWrite, type Route } from "../implement.ts"
import { serveReference } from "../reference/serveReference.ts"
import { handleErrors } from "./handleErrors.ts"
import { observeRequests } from "./observeRequests.ts"
import { runWrite } from "./runWrite.ts"

/** Their responses are large: a day has 1,440 points. */
const compressed = ["/v1/statistics", "/v1/deliveries"]

export function createApp(settings: {
  routes: readonly Route[]
  context: Omit<AppContext, "log">
  rate: RateSettings
  /** How many expensive requests run at the same time. */
  mostExpensive: number
  /** Null: without OpenID Connect. */
  provider: OpenIdProvider | null
  sessionLimits: SessionLimits
  /** IP ranges of the proxies whose X-Forwarded-For is used. */
  trustedProxies: readonly string[]
  /** Of the built web console. */
  pageFolder: string
  log: Logger
  metrics: Registry
}): Express {
  const { routes, context, provider, sessionLimits, trustedProxies, pageFolder, log, metrics } = settings
  const { mostExpensive } = settings
  const app = express()
  app.set("trust proxy", [...trustedProxies])
  app.disable("x-powered-by")
  // Stops Express from adding ETags, because clients must not store responses.
  app.disable("etag")
  const rateLimit = limitRate(settings.rate, log)
  const signIn = createSignInContext({
    ...context,
    ...rateLimit,
    withKey: context.signInWithKey,
    provider,
    sessionLimits,
    log,
    metrics,
  })
  const page = servePage(pageFolder)
  app.use(compressed, compression())
  app.use(
    observeRequests({ log, metrics }),
    securityHeaders(context.consoleOrigin),
    page.root,
    createRouter(routes, { ...context, log }, { takeTurn: rateLimit.takeTurn, mostExpensive }),
    signInRoutes(signIn),
    openIdRoutes(signIn),
    serveReference(context.openApiDocument),
    page.others,
    (_request, response) => sendProblem(response, problem("unknown-path")),
  )
  app.use(handleErrors(log))
  return app
}

/** Exported for the test that compares Express's routes with the OpenAPI document. */
export function createRouter(
  routes: readonly Route[],
  context: AppContext,
  { takeTurn, mostExpensive }: { takeTurn: TakeTurn; mostExpensive: number },
): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const expensive = limitExpensive(mostExpensive)
  const inKafka = limitExpensive(mostExpensive)
  const denied = recordDenied(context)
  for (const route of routes) {
    router[route.method](
      expressPath(route.path),
      recordPattern(route.path),
      ...(route.allow === "anyone"
        ? []
        : [
            authenticate(
              context.sql,
              context.consoleOrigin,
              takeTurn,
              route.allow,
              (key, request, response) => denied(key, route.operation, originOf(request, response)),
            ),
          ]),
      ...(route.body ? readJsonBody() : []),
      async (request, response) => {
        const { apiKey } = response.locals
        const run = () => runRoute(route, context, request, response)
        // A client that has gone needs no result.
        const runIfOpen = async () => (response.destroyed ? null : run())
        const limit = route.readsKafka ? inKafka : route.expensive ? expensive : null
        const result = limit
          ? ((await limit.run(apiKey, runIfOpen)) ?? problem("too-many-requests"))
          : await run()
        if (route.expensive && result.kind === "stream" && result.chunks)
          result.chunks = runChunks(expensive, apiKey, result.chunks)
        if (route.endless && result.kind === "stream") response.locals.endless = true
        if (result.kind === "problem" && result.code === "missing-scope") {
          const { keyId: id, keyName: name } = response.locals.caller
          await denied({ id, name }, route.operation, originOf(request, response))
        }
        await sendResponse(response, result, route.success.status)
      },
    )
  }
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    router.all(expressPath(path), recordPattern(path), rejectMethod(sharing))
  }
  return router
}

async function runRoute(
  route: Route,
  context: AppContext,
  request: Request,
  response: Response,
): Promise<RouteResponse> {
  const { params, query, body, headers, method, originalUrl } = request
  const { caller, bodyBytes } = response.locals
  const input = { params, query, body, headers, headOnly: method === "HEAD", caller }
  if (!isWrite(route)) {
    const result = await route.run(context, input)
    if (!route.etag || result.kind !== "ok") return result
    return { ...result, headers: { etag: etagOf(result.body), ...result.headers } }
  }
  const idempotent =
    route.method === "post"
      ? readIdempotencyKey({ headers, keyId: caller.keyId, url: originalUrl, bodyBytes })
      : null
  if (idempotent && "kind" in idempotent) return idempotent
  return runWrite(context, route, input, { ...originOf(request, response), idempotent })
}

export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1")
}

function recordPattern(path: string): RequestHandler {
  return (_request, response, next) => {
    response.locals.route = path
    next()
  }
}

function rejectMethod(routes: Route[]): RequestHandler {
  const methods = routes.map((route) => route.method.toUpperCase())
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", ")
  return (_request, response) => {
    response.setHeader("allow", allow)
    sendProblem(response, methodNotAllowed(allow))
  }
}

/**
 * Responses contain secrets and partners' data, so no cache may store them and no page may frame or run them. The page
 * of the web console replaces some of these headers.
 */
function securityHeaders({ isSecure }: { isSecure: boolean }): RequestHandler {
  return (_request, response, next) => {
    response.set({
      ...confidentialResponse,
      "cross-origin-resource-policy": "same-origin",
      ...(isSecure ? { "strict-transport-security": "max-age=31536000" } : {}),
    })
    next()
  }
}
