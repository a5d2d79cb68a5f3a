import type { Logger, Registry } from "@sitewire/runtime"
import express, { type Express, type RequestHandler, type Router } from "express"
import { problem } from "../response.ts"
import { authenticate } from "../../auth/authenticate.ts"
import { handleErrors } from "./handleErrors.ts"
import { readBody } from "./readJsonBody.ts"
import type { Parts, Route } from "../defineRoute.ts"
import { secureHeaders } from "./securityHeaders.ts"
import { sendAnswer, sendProblem } from "./sendResponse.ts"
import { watchRequests } from "./observeRequests.ts"

/** The management API as an Express application that answers `routes` and nothing else. Listens nowhere yet. */
export function createApp(settings: {
  routes: readonly Route[]
  parts: Parts
  log: Logger
  metrics: Registry
}): Express {
  const { routes, parts, log, metrics } = settings
  const app = express()
  app.disable("x-powered-by")
  // Everything is no-store; the one answer with an ETag sets its own.
  app.disable("etag")
  app.use(watchRequests({ log, metrics }), secureHeaders, createRouter(routes, parts), nothingHere)
  app.use(handleErrors(log))
  return app
}

/** Exported for the test that holds Express's table against the OpenAPI document. */
export function createRouter(routes: readonly Route[], parts: Parts): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const requireKey = authenticate(parts.prisma)
  for (const route of routes) {
    router[route.method](
      expressPath(route.path),
      nameRoute(route.path),
      ...(route.open ? [] : [requireKey]),
      ...(route.body ? readBody() : []),
      async (request, response) => {
        const { params, query, body, headers, method } = request
        const caller: string = response.locals.caller ?? ""
        const headOnly = method === "HEAD"
        const answer = await route.run(parts, { params, query, body, headers, headOnly, caller })
        await sendAnswer(response, route.success.status, answer)
      },
    )
  }
  for (const [path, allowed] of Map.groupBy(routes, (route) => route.path)) {
    router.all(expressPath(path), nameRoute(path), refuseMethod(allowed))
  }
  return router
}

/** OpenAPI's `{id}` is Express's `:id`. */
export function expressPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1")
}

function nameRoute(path: string): RequestHandler {
  return (_request, response, next) => {
    response.locals.route = path
    next()
  }
}

function refuseMethod(routes: Route[]): RequestHandler {
  const methods = routes.map((route) => route.method.toUpperCase())
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", ")
  return (_request, response) => {
    response.setHeader("allow", allow)
    sendProblem(response, problem(405, `This method is not answered here. These are: ${allow}.`))
  }
}

const nothingHere: RequestHandler = (_request, response) => {
  sendProblem(response, problem(404, "Nothing is at this address. GET /openapi.json lists what there is."))
}
