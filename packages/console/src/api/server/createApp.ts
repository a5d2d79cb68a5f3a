import type { Logger, Registry } from "@sitewire/runtime"
import express, { type Express, type RequestHandler, type Router } from "express"
import { authenticate } from "../../auth/authenticate.ts"
import type { ApiContext, Route } from "../defineRoute.ts"
import { methodNotAllowed, unknownPath } from "../problems.ts"
import { handleErrors } from "./handleErrors.ts"
import { observeRequests } from "./observeRequests.ts"
import { readJsonBody } from "./readJsonBody.ts"
import { securityHeaders } from "./securityHeaders.ts"
import { sendProblem, sendResponse } from "./sendResponse.ts"

export function createApp(settings: {
  routes: readonly Route[]
  context: ApiContext
  log: Logger
  metrics: Registry
}): Express {
  const { routes, context, log, metrics } = settings
  const app = express()
  app.disable("x-powered-by")
  // Stops Express from adding ETags, because clients must not store responses.
  app.disable("etag")
  app.use(
    observeRequests({ log, metrics }),
    securityHeaders,
    createRouter(routes, context),
    (_request, response) => sendProblem(response, unknownPath()),
  )
  app.use(handleErrors(log))
  return app
}

/** Exported for the test that compares Express's routes with the OpenAPI document. */
export function createRouter(routes: readonly Route[], context: ApiContext): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const requireKey = authenticate(context.prisma)
  for (const route of routes) {
    router[route.method](
      expressPath(route.path),
      recordPattern(route.path),
      ...(route.public ? [] : [requireKey]),
      ...(route.body ? readJsonBody() : []),
      async (request, response) => {
        const { params, query, body, headers, method } = request
        const caller: string = response.locals.caller ?? ""
        const headOnly = method === "HEAD"
        const result = await route.run(context, { params, query, body, headers, headOnly, caller })
        await sendResponse(response, route.success.status, result)
      },
    )
  }
  for (const [path, sharing] of Map.groupBy(routes, (route) => route.path)) {
    router.all(expressPath(path), recordPattern(path), rejectMethod(sharing))
  }
  return router
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
